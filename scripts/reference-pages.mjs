/**
 * The reference pages of docs/, from the JSON Schemas and the examples of reference-examples.mjs.
 *
 *   an object of a schema   ->  a section: a table with one row for each key, and an example
 *   a choice of objects     ->  a table and an example for each of them
 *   an equal object         ->  a link to the section of the first one
 */
import { PAGES } from './reference-examples.mjs';

/** By file name in docs/: the text of the page. */
export function referencePages(schemas) {
  return Object.fromEntries(Object.entries(PAGES).map(([file, page]) => [file, pageText(page, schemas)]));
}

function pageText({ title, introduction, documents }, schemas) {
  const parts = documents.flatMap((document) => documentText(document, schemas[document.schema]));
  return `${[`# ${title}`, introduction, ...parts].join('\n\n')}\n`;
}

function documentText(document, schema) {
  const sections = sectionsOf(document, schema);
  return sections.flatMap((section) => [
    `## ${section.heading}`,
    ...(section.introduction ? [section.introduction] : []),
    ...section.variants.flatMap((variant, i) => variantText(section, variant, section.examples[i], sections)),
  ]);
}

function variantText(section, variant, example, sections) {
  const name = section.variants.length > 1 ? [`${nameOf(variant)}:`] : [];
  const table = rowsOf(variant, section, sections);
  return [...name, table, `\`\`\`json\n${show(example)}\n\`\`\``];
}

/** A choice is named by its constant key, or by all of its keys. */
function nameOf({ properties }) {
  const constant = Object.entries(properties).find(([, { const: value }]) => value !== undefined);
  if (constant) return `With \`"${constant[0]}": ${JSON.stringify(constant[1].const)}\``;
  const keys = Object.keys(properties).map((key) => `\`${key}\``);
  return `With ${keys.length > 1 ? `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}` : keys[0]}`;
}

/** The sections of a document in the order of its keys, each object after the object that holds it. */
export function sectionsOf(document, schema) {
  const found = [];
  visit(found, document, schema, []);
  for (const branch of schema.oneOf ?? []) visitFamily(found, document, branch);
  return found;
}

function visit(found, document, schema, path, family) {
  const isKnown = found.some(({ text }) => text === identityOf(schema));
  if (isKnown && !(family && path.length === 1)) return;
  const variants = objectsOf(schema);
  if (!variants.length) return;
  found.push(sectionOf(document, schema, variants, path, family));
  for (const variant of variants)
    for (const [key, child] of Object.entries(variant.properties))
      visitChild(found, document, child, [...path, key], family);
}

/** Lists and records are passed through: the section is that of their elements. */
function visitChild(found, document, child, path, family) {
  if (path.join('.') in document.links) return;
  const alternatives = child.anyOf ?? child.oneOf ?? [child];
  if (objectsOf(child).length) visit(found, document, child, path, family);
  else
    for (const schema of alternatives) {
      if (schema.items) visitChild(found, document, schema.items, [...path, ELEMENT], family);
      else if (isRecord(schema)) visitChild(found, document, schema.additionalProperties, [...path, NAME], family);
    }
}

function visitFamily(found, document, { title, properties: { parameters } }) {
  visit(found, document, parameters, ['parameters'], title);
}

const ELEMENT = '[]';
const NAME = 'NAME';

function sectionOf(document, schema, variants, path, family) {
  const place = showPath(path);
  const key = family ? `${family}: ${place}` : place;
  const entry = document.sections[key];
  if (!entry) throw new Error(`scripts/reference-examples.mjs: ${document.schema} has no example for "${key}"`);
  const examples = Array.isArray(entry) ? entry : [entry];
  const heading = path.length ? `\`${place}\`${family ? ` of \`${family}\`` : ''}` : document.heading;
  const introduction = path.length ? schema.description : document.introduction;
  return {
    key,
    path,
    family,
    heading,
    introduction,
    variants,
    examples,
    links: document.links,
    text: identityOf(schema),
  };
}

const showPath = (path) =>
  path.reduce((text, step) => (step === ELEMENT ? `${text}[]` : text ? `${text}.${step}` : step), '');

/** Equal objects may have different descriptions. */
const identityOf = ({ description: _, default: __, ...schema }) => JSON.stringify(schema);

function objectsOf(schema) {
  if (schema.properties) return [schema];
  return (schema.anyOf ?? (schema.type ? [] : schema.oneOf) ?? []).filter(({ properties }) => properties);
}

const isRecord = ({ type, properties, additionalProperties }) =>
  type === 'object' && !properties && typeof additionalProperties === 'object';

function rowsOf({ properties, required = [] }, { path, links }, sections) {
  const rows = Object.entries(properties).map(([key, child]) => {
    const value = links[[...path, key].join('.')] ?? describe(child, sections);
    return `| \`${key}\` | ${value} | ${defaultOf(key, child, required)} | ${child.description} |`;
  });
  return ['| key | value | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function defaultOf(key, child, required) {
  if ('default' in child) return `\`${JSON.stringify(child.default)}\``;
  return required.includes(key) ? 'required' : '';
}

function describe(schema, sections) {
  if ('const' in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const linked = linkTo(schema, sections);
  const alternatives = schema.anyOf ?? (schema.type ? undefined : schema.oneOf);
  if (alternatives) return describeChoice(alternatives, linked, sections);
  if (linked) return `object, see ${linked}`;
  if (schema.type === 'array') return `list: ${describe(schema.items, sections)}`;
  if (schema.type === 'object') return isRecord(schema) ? describeRecord(schema, sections) : 'object';
  return describeScalar(schema);
}

function describeChoice(alternatives, linked, sections) {
  const others = alternatives
    .filter(({ properties }) => !(linked && properties))
    .map((part) => describe(part, sections));
  return [...new Set([...others, ...(linked ? [`object, see ${linked}`] : [])])].join('; or ');
}

const describeRecord = ({ additionalProperties }, sections) =>
  Object.keys(additionalProperties).length ? `by name: ${describe(additionalProperties, sections)}` : 'object';

function linkTo(schema, sections) {
  if (!objectsOf(schema).length) return undefined;
  const section = sections.find(({ text }) => text === identityOf(schema));
  return section && `[${section.heading}](#${slugOf(section.heading)})`;
}

/** As GitHub does for headings. */
const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const TYPES = { string: 'text', boolean: '`true`, `false`', null: '`null`', number: 'number', integer: 'whole number' };

function describeScalar(schema) {
  const type = [schema.type]
    .flat()
    .map((name) => TYPES[name] ?? 'any value')
    .join(' or ');
  const limits = [above(schema), below(schema)].filter(Boolean);
  return limits.length ? `${type}, ${limits.join(', ')}` : type;
}

/** Ends beyond these are those of the arithmetic, not of the document. */
const LARGE = 2 ** 53 - 1;

function above({ minimum, exclusiveMinimum }) {
  if (exclusiveMinimum !== undefined) return `above ${exclusiveMinimum}`;
  if (minimum === undefined || minimum <= -LARGE) return undefined;
  return minimum > 0 && minimum < 1e-90 ? 'above 0' : `at least ${minimum}`;
}

function below({ maximum, exclusiveMaximum }) {
  if (exclusiveMaximum !== undefined) return `below ${exclusiveMaximum}`;
  return maximum === undefined || maximum >= LARGE ? undefined : `at most ${maximum}`;
}

const WIDTH = 110;

/** JSON with short lists and objects on one line. */
function show(value, indent = '') {
  const line = oneLine(value);
  if (value === null || typeof value !== 'object' || indent.length + line.length <= WIDTH) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([key, part]) => `${inner}${isList ? '' : `${JSON.stringify(key)}: `}${show(part, inner)}`,
  );
  return `${isList ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

function oneLine(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`);
  return parts.length ? `{ ${parts.join(', ')} }` : '{}';
}
