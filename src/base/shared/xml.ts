/**
 * Parses XML 1.0 with namespaces into elements. Rejects document type declarations, so documents can't define entities
 * or refer to external files. Drops comments and joins the text around them. https://www.w3.org/TR/xml/
 * https://www.w3.org/TR/xml-names/
 *
 * saxes checks that the document is well-formed ([decision 44](../../docs/decisions/0044-shared-and-libraries.md)).
 */
import { SaxesParser, type SaxesTag } from 'saxes';

export interface XmlElement {
  /** The element's name without its prefix. */
  readonly name: string;
  /** The element's namespace. Empty if the element has no prefix. */
  readonly namespace: string;
  /** The attributes that have no prefix, by name. Namespace declarations are excluded. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All text directly inside the element, including CDATA sections. */
  readonly text: string;
}

/**
 * The limits of a document. The limits are necessary because anyone can send a document, and parsing blocks the event
 * loop.
 */
export interface XmlRules {
  readonly maxDepth: number;
  readonly maxElements: number;
  readonly maxAttributes: number;
  /** Whether prefixes must be declared. If the value is false, the namespace of every element is `''`. */
  readonly namespaces: boolean;
  readonly rejected: readonly ('cdata' | 'processinginstruction')[];
}

export class XmlError extends Error {
  override name = 'XmlError';
}

interface OpenElement extends XmlElement {
  readonly attributes: Map<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/** Parses a document and returns its root element. @throws {XmlError} */
export function parseXml(source: string, rules: XmlRules): XmlElement {
  // XML 1.1 isn't accepted because it allows control characters.
  const parser = new SaxesParser({
    xmlns: rules.namespaces,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  });
  // saxes would interpret an unpaired surrogate and the next character as a single character.
  if (!source.isWellFormed()) throw new XmlError('an unpaired surrogate');
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let attributes = 0;
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element) element.text += text;
  };
  parser.on('error', ({ message }) => {
    throw new XmlError(message);
  });
  parser.on('doctype', rejects('a document type'));
  parser.on('text', addText);
  parser.on('cdata', rules.rejected.includes('cdata') ? rejects('a CDATA section') : addText);
  if (rules.rejected.includes('processinginstruction'))
    parser.on('processinginstruction', rejects('a processing instruction'));
  parser.on('opentagstart', () => {
    if (open.length >= rules.maxDepth) throw new XmlError('the document is nested too deeply');
    if (++elements > rules.maxElements) throw new XmlError('the document contains too many elements');
    attributes = 0;
  });
  parser.on('attribute', () => {
    if (++attributes > rules.maxAttributes) throw new XmlError('an element has too many attributes');
  });
  parser.on('opentag', (tag) => {
    const element = elementOf(tag);
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(source).close();
  if (!root) throw new XmlError('the document contains no element');
  return root;
}

const rejects = (part: string) => (): never => {
  throw new XmlError(`the document contains ${part}`);
};

function elementOf({ name, uri = '', attributes }: SaxesTag): OpenElement {
  const unprefixed = Object.values(attributes).filter(
    (attribute) => typeof attribute === 'object' && attribute.prefix === '' && attribute.local !== 'xmlns',
  );
  return {
    name: name.slice(name.indexOf(':') + 1),
    namespace: uri,
    attributes: new Map(unprefixed.map(({ local, value }) => [local, value])),
    children: [],
    text: '',
  };
}

/** Returns the children with this name, in order. */
export function childrenOf(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** Returns the first child with this name. */
export function childOf(element: XmlElement, namespace: string, name: string): XmlElement | undefined {
  return childrenOf(element, namespace, name)[0];
}
