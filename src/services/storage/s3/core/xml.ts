/** Parses the XML of S3 requests, whose attributes and namespaces are ignored, and writes S3's XML responses. */
import { parseXml, type XmlElement, XmlError, type XmlRules } from '../../../../base/shared/xml.ts';

const s3Rules: XmlRules = {
  /** The XML in real S3 requests is nested at most four levels deep. */
  maxDepth: 8,
  /** The size limit for the body already limits the number of elements and attributes. */
  maxElements: Number.POSITIVE_INFINITY,
  maxAttributes: Number.POSITIVE_INFINITY,
  namespaces: false,
  rejected: ['cdata'],
};

/**
 * Returns the root element, or undefined if the text isn't a valid document. Spaces before the XML declaration are
 * allowed.
 */
export function readXml(text: string): XmlElement | undefined {
  try {
    return parseXml(text.trimStart(), s3Rules);
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

/** Returns the text of the first child with this name, or undefined if no child has it. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

/**
 * The content of an element: text, child elements by name, or nothing. If the content is an array, the element is
 * repeated for each item.
 */
export type XmlContent =
  | string
  | number
  | boolean
  | undefined
  | { readonly [name: string]: XmlContent | readonly XmlContent[] };

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

/**
 * Writes a document.
 *
 * @example
 * writeXml('LocationConstraint', 'local');
 */
export function writeXml(name: string, content: XmlContent): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${namespace}">${inner(content)}</${name}>`;
}

/** Writes an error document, which doesn't have a namespace. */
export function writeErrorXml(content: XmlContent): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${inner(content)}</Error>`;
}

function inner(content: XmlContent): string {
  if (typeof content !== 'object') return content === undefined ? '' : escapeXml(String(content));
  let text = '';
  for (const [name, value] of Object.entries(content)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) text += `<${name}>${inner(one)}</${name}>`;
  }
  return text;
}

/** Escapes text. Characters that XML 1.0 doesn't allow are replaced with U+FFFD. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches these characters
      .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll('\r', '&#13;')
      .replaceAll('\n', '&#10;')
  );
}
