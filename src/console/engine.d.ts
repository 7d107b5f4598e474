/** A property of errors that code shared with the server reads: types of Node have it, types of browsers do not. */
interface ErrorConstructor {
  stackTraceLimit: number;
}
