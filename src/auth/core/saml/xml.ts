/**
 * A strict parser for the subset of XML 1.0 with namespaces that SAML needs. Rejects document types (and thus entities
 * and external files) and processing instructions, and limits depth and size. Drops comments and joins the text around
 * them.
 * https://www.w3.org/TR/xml/ https://www.w3.org/TR/xml-names/
 */
export interface XmlElement {
  /** The name without its prefix. */
  readonly name: string;
  /** `''` outside of any namespace. */
  readonly namespace: string;
  /** Attributes without a prefix, by name. Excludes namespace declarations. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All of the element's direct text, including CDATA sections. */
  readonly text: string;
}

export class XmlError extends Error {
  override name = 'XmlError';
}

/** Limits the work, because anyone can send a document and parsing blocks the event loop. */
const maxDepth = 64;
const maxElements = 20_000;
const maxAttributes = 200;
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

const nameStart =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D';
const nameRest = `${nameStart}\\-.0-9\\u00B7\\u0300-\\u036F`;
const qualifiedName = `(?:[${nameStart}][${nameRest}]*:)?[${nameStart}][${nameRest}]*`;
const declaration = /<\?xml[ \t\r\n][^<>?]*\?>/y;
const openTag = new RegExp(`<(${qualifiedName})`, 'y');
const closeTag = new RegExp(`</(${qualifiedName})[ \\t\\n]*>`, 'y');
const attribute = new RegExp(
  `[ \\t\\n]+(${qualifiedName})[ \\t\\n]*=[ \\t\\n]*(?:"([^<"]*)"|'([^<']*)')`,
  'y',
);
const tagEnd = /[ \t\n]*(\/?)>/y;
const characters = /[^<]+/y;
const comment = /<!--(?:(?!--).)*-->/sy;
const characterData = /<!\[CDATA\[(.*?)\]\]>/sy;
const entity = /&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));|&/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML doesn't allow these characters
const forbidden = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

const predefined: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Open {
  readonly qualified: string;
  readonly prefixes: ReadonlyMap<string, string>;
  readonly element: {
    name: string;
    namespace: string;
    attributes: Map<string, string>;
    children: XmlElement[];
    text: string;
  };
}

/** Returns the root element. @throws {XmlError} */
export function parseXml(source: string): XmlElement {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (forbidden.test(text) || !text.isWellFormed())
    throw new XmlError("the document contains a character that XML doesn't allow");
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    position = pattern.lastIndex;
    return match;
  };

  take(declaration);
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  while (position < text.length) {
    const parent = open.at(-1);
    if (take(comment)) continue;
    const data = parent && take(characterData)?.[1];
    const plain = data === undefined ? take(characters)?.[0] : undefined;
    if (plain?.includes(']]>')) throw new XmlError('a text contains "]]>"');
    const found = data ?? (plain === undefined ? undefined : decodeEntities(plain));
    if (found !== undefined) {
      if (parent) parent.element.text += found;
      else if (plain === undefined || /[^ \t\n]/.test(plain))
        throw new XmlError('text stands outside of the root');
      continue;
    }
    const closed = take(closeTag)?.[1];
    if (closed !== undefined) {
      if (parent?.qualified !== closed) throw new XmlError(`</${closed}> closes what is not open`);
      open.pop();
      continue;
    }
    const qualified = take(openTag)?.[1];
    if (qualified === undefined) throw new XmlError(`cannot be read at character ${position}`);
    if (root && !parent) throw new XmlError('there is more than one root');
    if (open.length >= maxDepth) throw new XmlError('it is nested too deep');
    if (++elements > maxElements) throw new XmlError('it holds too many elements');
    const written = new Map<string, string>();
    for (let match = take(attribute); match; match = take(attribute)) {
      const [, name = '', quoted, single = ''] = match;
      if (written.has(name)) throw new XmlError(`${name} is given twice`);
      if (written.size >= maxAttributes) throw new XmlError('an element has too many attributes');
      // Line breaks and tabs in an attribute become spaces (section 3.3.3).
      written.set(name, decodeEntities((quoted ?? single).replace(/[\t\n]/g, ' ')));
    }
    const end = take(tagEnd);
    if (!end) throw new XmlError(`<${qualified}> cannot be read`);
    const opened = openElement(qualified, written, parent?.prefixes ?? noPrefixes);
    if (parent) parent.element.children.push(opened.element);
    root ??= opened.element;
    if (end[1] === '') open.push(opened);
  }
  if (open.length > 0) throw new XmlError(`<${open.at(-1)?.qualified}> is not closed`);
  if (!root) throw new XmlError('there is no element');
  return root;
}

const noPrefixes: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['xml', xmlNamespace],
]);

function openElement(
  qualified: string,
  written: ReadonlyMap<string, string>,
  outer: ReadonlyMap<string, string>,
): Open {
  const declared = [...written].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  const prefixes =
    declared.length === 0
      ? outer
      : new Map([...outer, ...declared.map(([name, uri]) => [name.slice('xmlns:'.length), uri] as const)]);
  const [prefix, name] = split(qualified);
  const attributes = new Map<string, string>();
  const expanded = new Set<string>();
  for (const [key, value] of written) {
    const [itsPrefix, itsName] = split(key);
    if (key === 'xmlns' || itsPrefix === 'xmlns') continue;
    if (itsPrefix === '') attributes.set(itsName, value);
    const full = `${itsPrefix === '' ? '' : namespaceOf(itsPrefix, prefixes)} ${itsName}`;
    if (expanded.has(full)) throw new XmlError(`${key} is given twice`);
    expanded.add(full);
  }
  const namespace = namespaceOf(prefix, prefixes);
  return { qualified, prefixes, element: { name, namespace, attributes, children: [], text: '' } };
}

function namespaceOf(prefix: string, prefixes: ReadonlyMap<string, string>): string {
  const namespace = prefixes.get(prefix);
  if (namespace === undefined || (prefix !== '' && namespace === '')) {
    throw new XmlError(`the prefix ${prefix} is not declared`);
  }
  return namespace;
}

function split(qualified: string): [prefix: string, name: string] {
  const colon = qualified.indexOf(':');
  return colon < 0 ? ['', qualified] : [qualified.slice(0, colon), qualified.slice(colon + 1)];
}

function decodeEntities(text: string): string {
  return text.replace(entity, (written, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return predefined[name] ?? '';
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    // NaN for a bare ampersand and for entities that aren't predefined.
    const isCharacter =
      code === 0x9 ||
      code === 0xa ||
      code === 0xd ||
      (code >= 0x20 && code <= 0x10ffff && !isSurrogate(code));
    if (!isCharacter || code === 0xfffe || code === 0xffff)
      throw new XmlError(`${written} isn't a character`);
    return String.fromCodePoint(code);
  });
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

/** Returns the children with this name, in order. */
export function childrenOf(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** Returns the first child with this name. */
export function childOf(element: XmlElement, namespace: string, name: string): XmlElement | undefined {
  return childrenOf(element, namespace, name)[0];
}

/** Escapes text for element content and double-quoted attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
