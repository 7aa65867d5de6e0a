/** Writes S3's XML responses. */
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
