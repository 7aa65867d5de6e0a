/** Parses the XML of S3 requests, whose attributes and namespaces are ignored. */
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
