/** The start of the console: the first and only element of the page. */
import { render } from 'preact';
import { App } from './app.js';

render(<App />, document.getElementById('console')!);
