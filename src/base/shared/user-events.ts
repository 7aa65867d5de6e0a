/**
 * The types of events about users that webhooks receive. A new type needs an entry here, and a trigger that records it
 * (`src/services/auth/webhooks/triggers.ts`).
 */

/** The event types with a description for the documentation. */
export const userEventTypes = {
  'user.created': 'A user was created: by a sign-up, an invitation, an administrator or as a guest.',
  'user.updated':
    'The email address, phone number, role, metadata, guest status or ban of a user changed. `changed` lists the changed fields.',
  'user.deleted': 'A user was deleted, or marked as deleted.',
  'user.password_changed': 'The password of a user was set or changed.',
  'user.banned': 'An operator banned a user.',
  'user.unbanned': 'An operator ended the ban of a user.',
  'session.created': 'A user signed in.',
  'session.ended': 'A session was deleted: by a sign-out, by an operator, or because it expired.',
  'identity.linked': 'A sign-in method of another provider was linked to an account.',
  'identity.unlinked': 'A linked sign-in method was removed from an account.',
  'factor.enrolled': 'A second factor was added to an account.',
  'factor.removed': 'One or all second factors were removed from an account.',
  'passkey.added': 'A passkey was added to an account.',
  'passkey.removed': 'A passkey was removed from an account.',
} as const;

export type UserEventType = keyof typeof userEventTypes;

/** The type of the event that an operator sends to test a webhook. */
export const testEventType = 'webhook.test';

const allTypes = Object.keys(userEventTypes) as UserEventType[];

/**
 * Returns the event types that a pattern matches: a type, all types of a subject, or all types. Returns an empty list if
 * the pattern matches nothing.
 *
 * @example typesOf('session.*') // ['session.created', 'session.ended']
 */
export function typesOf(pattern: string): readonly UserEventType[] {
  if (pattern === '*') return allTypes;
  if (pattern.endsWith('.*')) return allTypes.filter((type) => type.startsWith(pattern.slice(0, -1)));
  return allTypes.filter((type) => type === pattern);
}

/** The form of a signing secret: at least 24 and at most 64 bytes in base64, as Standard Webhooks recommends. */
export const webhookSecretPattern = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
