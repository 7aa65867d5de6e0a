/** Parses the XML of SAML messages and metadata. */
import { parseXml, type XmlElement, type XmlRules } from '../../../../base/shared/xml.ts';

const samlRules: XmlRules = {
  maxDepth: 64,
  maxElements: 20_000,
  maxAttributes: 200,
  namespaces: true,
  rejected: ['processinginstruction'],
};

/** Returns the document's root element. @throws {XmlError} */
export const parseSamlXml = (source: string): XmlElement => parseXml(source, samlRules);
