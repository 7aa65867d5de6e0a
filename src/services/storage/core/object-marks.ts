/**
 * Creates the marks (hashes) that bind a user's signed link to one object. Policies are checked when the link is
 * signed, so the link must not open an object that another user later uploads to the same key. An object has one mark
 * derived from its row and one derived from its owner. The mark from the row remains valid after the object is
 * replaced. The mark from the owner remains valid if the same user removes the object and uploads it again.
 */
import { createHash } from 'node:crypto';

interface MarkedObject {
  readonly id: string;
  readonly owner_id: string | null;
}

export function marksOf({ id, owner_id: ownerId }: MarkedObject): string[] {
  return [markOf(`object ${id}`), ...ownerMarks(ownerId)];
}

/**
 * Returns the mark of the object's owner. Returns an empty list if the object doesn't have an owner, because ownerless
 * objects must not share a mark.
 */
export function ownerMarks(ownerId: string | null): string[] {
  return ownerId === null ? [] : [markOf(`owner ${ownerId}`)];
}

/**
 * Whether a link with these marks can open the object. The marks are undefined if the link refers to a key instead of
 * an object.
 */
export function isMeant(marks: readonly string[] | undefined, object: MarkedObject): boolean {
  if (marks === undefined) return true;
  return marksOf(object).some((mark) => marks.includes(mark));
}

/** User IDs are hashed because anyone who has a link can read its claims. */
const markOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
