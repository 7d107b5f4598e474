/**
 * THE TABLE of error texts about Redis: of the server, its client (ioredis), TLS (OpenSSL through Node) and the system. These sources have
 * no common codes. Errors are therefore distinguished by their text, and only by this table. test/integration/redis-words.test.ts provokes
 * each text.
 */

export const WORDS = {
  // the server
  wrongPassword: /WRONGPASS|without any password configured/,
  noPassword: /NOAUTH/,
  protectedMode: /DENIED.*protected mode/,
  /** The second text is the reply to a script. */
  notPermitted: /NOPERM|can't run this command/,
  unknownCommand: /unknown command/i,
  noCluster: /cluster support disabled/i,
  otherSlot: /\bMOVED \d|\bCROSSSLOT\b/,
  noSentinel: /unknown command.*sentinel/i,
  clusterDown: /CLUSTERDOWN/,
  /** Redis refuses to write because its memory is full. A refused script has a longer message. */
  full: /\bOOM\b/,
  noDisk: /MISCONF/,
  readOnly: /^READONLY /,
  groupExists: /^BUSYGROUP /,
  loading: /^LOADING /,
  busy: /^BUSY /,
  masterDown: /^MASTERDOWN /,
  tryAgain: /^TRYAGAIN /,
  fewReplicas: /^NOREPLICAS /,
  // the client
  closed: /Connection is closed/,
  gaveUp: /MaxRetriesPerRequest/,
  noNode: /None of startup nodes|Failed to refresh slots/,
  redirected: /Too many Cluster redirections/,
  noSentinels: /All sentinels are unreachable/,
  noRedis: /Unknown RESP type/,
  // TLS
  unknownAuthority:
    /self[- ]signed certificate|unable to verify the first certificate|unable to get (local )?issuer certificate/i,
  otherHost: /does not match certificate's altnames|ERR_TLS_CERT_ALTNAME_INVALID/i,
  expired: /certificate (has expired|is not yet valid)/i,
  noCertificate:
    /alert (number 116|certificate required)|certificate required|alert (bad|unknown|handshake)|unknown ca/i,
  noTls: /wrong version number|packet length too long|EPROTO/i,
  tlsCut: /socket disconnected before secure TLS/,
  // the system
  reset: /ECONNRESET|EPIPE/,
  unreachable: /ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENET/,
  /** Our own text, for a server that does not answer. */
  silent: /no answer within/,
} as const satisfies Record<string, RegExp>;

export type Word = keyof typeof WORDS;

/** Whether an error contains one of these words. Its name counts too, because some of the client's errors have telling names. */
export function says(error: unknown, ...words: readonly Word[]): boolean {
  return error instanceof Error && isSaid(`${error.message}`, words, error.name);
}

/** The same for text. `more`: further text to search. */
export function isSaid(text: string, words: readonly Word[], more = ''): boolean {
  return words.some((word) => WORDS[word].test(text) || (more !== '' && WORDS[word].test(more)));
}

export function notAnswered(timeoutMs: number): Error {
  return new Error(`no answer within ${timeoutMs / 1000} s`);
}
