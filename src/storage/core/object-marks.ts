/**
 * Whose object the signed link of a user means. Policies were checked when it was signed, so it must not reach what another user puts
 * under the same key later. An object has the marks of its row and of its owner: one of them outlasts a replacement, the other a
 * removal after which the same user uploads again.
 */
import { createHash } from 'node:crypto';

interface MarkedObject {
  readonly id: string;
  readonly owner_id: string | null;
}

export function marksOf({ id, owner_id: ownerId }: MarkedObject): string[] {
  return [markOf(`object ${id}`), ...ownerMarks(ownerId)];
}

/** None without an owner, so that nobody shares one with the others who have no id. */
export function ownerMarks(ownerId: string | null): string[] {
  return ownerId === null ? [] : [markOf(`owner ${ownerId}`)];
}

/** Undefined marks are those of a link that means its key, whatever is there. */
export function isMeant(marks: readonly string[] | undefined, object: MarkedObject): boolean {
  if (marks === undefined) return true;
  return marksOf(object).some((mark) => marks.includes(mark));
}

/** Anybody reads the claims of a link, and ids of users are not for everybody. */
const markOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
