/**
 * Checks that a response is intended for this server, is current, and belongs to a sign-in that this server started. A
 * valid signature doesn't prove any of these properties. Follows SAML 2.0 Profiles, section 4.1.4, even if GoTrue 2.196
 * is more lenient.
 */

import { childOf, childrenOf, type XmlElement } from '../../../../base/shared/xml.ts';
import { assertionNamespace, protocol, SamlFault, statusSuccess } from './xml.ts';

export interface Expected {
  readonly entityId: string;
  /** The entity ID of this service provider. The assertion must name this ID as its audience. */
  readonly audience: string;
  readonly acsUrl: string;
  /**
   * The ID of the request that the response must refer to. The ID is undefined if the identity provider started the
   * sign-in.
   */
  readonly requestId: string | undefined;
}

/** The tolerances for clock skew and delivery time. */
const clockSkewMs = 180_000;
const maxIssueDelayMs = 90_000;

const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

/**
 * Checks the parts of the response outside the assertion. These parts may be unsigned, so they are used only to reject
 * the response.
 * @throws {SamlFault}
 */
export function checkResponse(
  response: XmlElement,
  expected: Expected,
  isSigned: boolean,
  nowMs: number,
): void {
  const destination = response.attributes.get('Destination') ?? '';
  // A signed response must specify its destination (SAML 2.0 Bindings, section 3.5.5.2).
  if ((isSigned || destination !== '') && destination !== expected.acsUrl) {
    throw new SamlFault(`the response is for ${destination || 'an empty destination'}`);
  }
  checkInResponseTo(response, expected);
  checkIssueInstant(response, nowMs);
  const issuer = childOf(response, assertionNamespace, 'Issuer');
  if (issuer && issuer.text.trim() !== expected.entityId) throw new SamlFault(`${issuer.text} answered`);
  const status = childOf(response, protocol, 'Status');
  const code = status && childOf(status, protocol, 'StatusCode')?.attributes.get('Value');
  if (code !== statusSuccess) throw new SamlFault(`the status is ${code}`);
}

/**
 * Checks an assertion whose signature has already been verified.
 * @throws {SamlFault}
 */
export function checkAssertion(assertion: XmlElement, expected: Expected, nowMs: number): void {
  checkIssueInstant(assertion, nowMs);
  const issuer = childOf(assertion, assertionNamespace, 'Issuer')?.text.trim();
  if (issuer !== expected.entityId) throw new SamlFault(`the assertion was issued by ${issuer}`);
  if ((assertion.attributes.get('ID') ?? '') === '') throw new SamlFault('the assertion has no ID');
  checkSubject(assertion, expected, nowMs);
  checkConditions(assertion, expected, nowMs);
}

/** Checks the subject. One valid bearer confirmation is sufficient. */
function checkSubject(assertion: XmlElement, expected: Expected, nowMs: number): void {
  const subject = childOf(assertion, assertionNamespace, 'Subject');
  const bearers = (subject ? childrenOf(subject, assertionNamespace, 'SubjectConfirmation') : []).filter(
    ({ attributes }) => attributes.get('Method') === bearer,
  );
  const faults: SamlFault[] = [];
  for (const confirmation of bearers) {
    try {
      checkConfirmation(confirmation, expected, nowMs);
      return;
    } catch (fault) {
      if (!(fault instanceof SamlFault)) throw fault;
      faults.push(fault);
    }
  }
  throw faults[0] ?? new SamlFault("the subject isn't confirmed");
}

function checkConfirmation(confirmation: XmlElement, expected: Expected, nowMs: number): void {
  const data = childOf(confirmation, assertionNamespace, 'SubjectConfirmationData');
  const recipient = data?.attributes.get('Recipient');
  if (!data || recipient !== expected.acsUrl) throw new SamlFault(`the assertion is for ${recipient}`);
  checkInResponseTo(data, expected);
  const end = timeOf(data, 'NotOnOrAfter');
  if (end === undefined || nowMs >= end + clockSkewMs) throw new SamlFault('the assertion has expired');
  if (data.attributes.has('NotBefore')) throw new SamlFault('a bearer confirmation must not have NotBefore');
}

function checkConditions(assertion: XmlElement, expected: Expected, nowMs: number): void {
  const all = childrenOf(assertion, assertionNamespace, 'Conditions');
  const [conditions] = all;
  if (!conditions || all.length > 1)
    throw new SamlFault('the assertion must contain exactly one set of conditions');
  const start = timeOf(conditions, 'NotBefore');
  const end = timeOf(conditions, 'NotOnOrAfter');
  if (start !== undefined && nowMs < start - clockSkewMs)
    throw new SamlFault("the assertion isn't valid yet");
  if (end !== undefined && nowMs >= end + clockSkewMs) throw new SamlFault('the assertion has expired');
  const restrictions = childrenOf(conditions, assertionNamespace, 'AudienceRestriction');
  const isForUs = (restriction: XmlElement) =>
    childrenOf(restriction, assertionNamespace, 'Audience').some(
      ({ text }) => text.trim() === expected.audience,
    );
  if (restrictions.length === 0 || !restrictions.every(isForUs)) {
    throw new SamlFault('the assertion is for another audience');
  }
}

/**
 * Checks that the element refers to the request that started this sign-in. An unsolicited response must not refer to a
 * request, because an attacker may have started that request.
 */
function checkInResponseTo(element: XmlElement, { requestId }: Expected): void {
  const inResponseTo = element.attributes.get('InResponseTo');
  if (inResponseTo !== requestId)
    throw new SamlFault(`${element.name} refers to ${inResponseTo ?? 'no request'}`);
}

/**
 * Checks the time at which an element was issued.
 * @throws {SamlFault} if the time is too long ago or in the future
 */
export function checkIssueInstant(element: XmlElement, nowMs: number): void {
  const issued = timeOf(element, 'IssueInstant');
  if (issued === undefined)
    throw new SamlFault(`${element.name} doesn't contain the time when it was issued`);
  if (nowMs > issued + maxIssueDelayMs + clockSkewMs) throw new SamlFault(`${element.name} is too old`);
  if (nowMs < issued - clockSkewMs) throw new SamlFault(`${element.name} was issued in the future`);
}

/** Returns the time after which the assertion is rejected as too old, in milliseconds since the epoch. */
export function presentableUntilMs(assertion: XmlElement): number {
  const issued = timeOf(assertion, 'IssueInstant') ?? 0;
  return issued + maxIssueDelayMs + clockSkewMs;
}

function timeOf(element: XmlElement, name: string): number | undefined {
  const text = element.attributes.get(name);
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new SamlFault(`${name} of ${element.name} isn't a time`);
  return ms;
}
