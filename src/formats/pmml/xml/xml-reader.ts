/**
 * A reader of XML for model files of strangers: elements, attributes, text, CDATA, comments and processing instructions.
 *
 *   entities     &lt; &gt; &amp; &quot; &apos; and numbers of characters. A document type is refused: only there could entities be defined,
 *                and only entities can name other files or grow without bound
 *   limits       bytes of the file, elements, levels of elements. The reader keeps its own stack
 *   names        prefixes of namespaces are dropped
 */
import { ElsewiseError } from '../../../documents/error.js';
import { MOST_LEVELS } from '../../../documents/nesting.js';
import { XmlElement } from './xml-element.js';

const MOST_BYTES = 256 * 2 ** 20;
const MOST_ELEMENTS = 8_000_000;
const ROOT = 'pmml';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Markup without meaning for a model, or with text inside: how it begins and how it ends. */
const SECTIONS = [
  { begin: '<!--', end: '-->', isText: false },
  { begin: '<![CDATA[', end: ']]>', isText: true },
  { begin: '<?', end: '?>', isText: false },
] as const;

const TAG_NAME = /^(\/?)([^\s/>"'<=]+)/;
const TAG_MARKS = /[>"']/g;
const ATTRIBUTE = /\s+([^\s=/"'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

export function readXml(bytes: Uint8Array): XmlElement {
  if (bytes.length > MOST_BYTES) throw xmlFault(`the file has ${bytes.length} bytes; at most ${MOST_BYTES} are read`);
  return new XmlReader(decode(bytes)).read();
}

const xmlFault = (message: string, path = ROOT) => new ElsewiseError('bad-document', message, path);

/** The text in the encoding of its byte order mark, else of its first line, else UTF-8. */
function decode(bytes: Uint8Array): string {
  const [a, b] = bytes;
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const [, declared] = head.match(/^<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/) ?? [];
  const marked = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
  const encoding = marked ?? declared ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw xmlFault(`is no text in the encoding ${encoding}`);
  }
}

class XmlReader {
  private at = 0;
  private count = 0;
  private readonly open: XmlElement[] = [];
  private root: XmlElement | null = null;

  constructor(private readonly text: string) {}

  read(): XmlElement {
    while (this.at < this.text.length) {
      if (this.text[this.at] === '<') this.readMarkup();
      else this.readText();
    }
    const unclosed = this.open.at(-1);
    if (unclosed) throw xmlFault(`the file ends before </${unclosed.name}>`, unclosed.path);
    if (!this.root) throw xmlFault('is no XML: the file has no element');
    return this.root;
  }

  private readMarkup(): void {
    const section = SECTIONS.find(({ begin }) => this.text.startsWith(begin, this.at));
    if (section) this.readSection(section);
    else if (this.text.startsWith('<!', this.at)) throw this.fault(NO_DOCTYPE);
    else this.readTag();
  }

  private readSection({ begin, end, isText }: (typeof SECTIONS)[number]): void {
    const from = this.at + begin.length;
    const to = this.text.indexOf(end, from);
    if (to < 0) throw this.fault(`the file ends before ${end}`);
    if (isText) this.addText(this.text.slice(from, to));
    this.at = to + end.length;
  }

  private readText(): void {
    const next = this.text.indexOf('<', this.at);
    const to = next < 0 ? this.text.length : next;
    this.addText(this.decodeText(this.text.slice(this.at, to)));
    this.at = to;
  }

  private addText(text: string): void {
    const element = this.open.at(-1);
    if (element) element.text += text;
    else if (text.trim()) throw this.fault(`is no XML: "${text.trim().slice(0, 20)}" stands outside of all elements`);
  }

  private readTag(): void {
    const end = this.tagEnd();
    const tag = this.text.slice(this.at + 1, end);
    const match = tag.match(TAG_NAME);
    if (end < 0 || !match) throw this.fault(`"${this.text.slice(this.at, this.at + 30)}" is no complete tag`);
    const [start, slash, name] = match;
    if (slash) this.close(name, tag.slice(start.length));
    else this.begin(name, tag.slice(start.length));
    this.at = end + 1;
  }

  /** The place of the `>` that ends the tag; a text in quotes may contain one. -1: the tag has no end. */
  private tagEnd(): number {
    let at = this.at;
    for (;;) {
      at = this.nextOf(TAG_MARKS, at);
      if (at < 0 || this.text[at] === '>') return at;
      at = this.text.indexOf(this.text[at], at + 1) + 1;
      if (at === 0) return -1;
    }
  }

  private nextOf(marks: RegExp, from: number): number {
    marks.lastIndex = from;
    return marks.exec(this.text)?.index ?? -1;
  }

  private begin(name: string, rest: string): void {
    const isEmpty = rest.endsWith('/');
    const parent = this.open.at(-1) ?? null;
    if (!parent && this.root) throw this.fault(`a second element <${name}> outside of <${this.root.name}>`);
    if (++this.count > MOST_ELEMENTS) throw this.fault(`more than ${MOST_ELEMENTS} elements`);
    if (this.open.length >= MOST_LEVELS) throw this.fault(`nested too deeply: at most ${MOST_LEVELS} levels are read`);
    const element = new XmlElement(localName(name), this.readAttributes(isEmpty ? rest.slice(0, -1) : rest), parent);
    parent?.children.push(element);
    this.root ??= element;
    if (!isEmpty) this.open.push(element);
  }

  private close(name: string, rest: string): void {
    const element = this.open.pop();
    if (element?.name === localName(name) && !rest.trim()) return;
    throw xmlFault(`</${name}> closes no open element`, element?.path);
  }

  private readAttributes(text: string): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>();
    ATTRIBUTE.lastIndex = 0;
    let end = 0;
    for (let match = ATTRIBUTE.exec(text); match; match = ATTRIBUTE.exec(text)) {
      const [, name, double, single] = match;
      if (attributes.has(name)) throw this.fault(`the attribute ${name} is named twice`);
      attributes.set(name, this.decodeText(double ?? single));
      end = ATTRIBUTE.lastIndex;
    }
    if (text.slice(end).trim()) throw this.fault(`"${text.slice(end).trim().slice(0, 30)}" is no attribute`);
    return attributes;
  }

  private decodeText(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(/&([^;&]{0,12})(;?)/g, (whole, name: string, end: string) => {
      const character = end && (ENTITIES.get(name) ?? characterOf(name));
      if (character) return character;
      throw this.fault(
        `the entity "${whole}" is not known: XML without a document type has &lt; &gt; &amp; &quot; &apos;`,
      );
    });
  }

  private fault(message: string): ElsewiseError {
    return xmlFault(message, this.open.at(-1)?.path);
  }
}

const NO_DOCTYPE =
  'this importer does not support a document type (<!DOCTYPE> or <!ENTITY>), because entities can name other files: delete it from the file';

/** The character of `#65` or `#x41`. */
function characterOf(name: string): string | undefined {
  const [, hexadecimal, decimal] = name.match(/^#(?:x([0-9a-fA-F]+)|(\d+))$/) ?? [];
  const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal);
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : undefined;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
