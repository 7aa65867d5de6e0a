/**
 * Binds a user's signed link to an object. Policies are checked when the link is signed, so the link must not open an
 * object that another user later uploads to the same key. An object has marks from its row and from its owner. The
 * row's mark survives a replacement, and the owner's mark survives a removal after which the same user uploads again.
 */
import { createHash } from 'node:crypto';

interface MarkedObject {
  readonly id: string;
  readonly owner_id: string | null;
}

export function marksOf({ id, owner_id: ownerId }: MarkedObject): string[] {
  return [markOf(`object ${id}`), ...ownerMarks(ownerId)];
}

/** Empty if there is no owner, so that objects without an owner id don't share a mark. */
export function ownerMarks(ownerId: string | null): string[] {
  return ownerId === null ? [] : [markOf(`owner ${ownerId}`)];
}

/** The marks are undefined if the link refers to a key rather than to an object. */
export function isMeant(marks: readonly string[] | undefined, object: MarkedObject): boolean {
  if (marks === undefined) return true;
  return marksOf(object).some((mark) => marks.includes(mark));
}

/** The claims of a link are readable by anyone, so user ids are hashed. */
const markOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
