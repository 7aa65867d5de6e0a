/** A backend whose objects belong to another server. The objects can be read, but nothing is stored or removed. */
import type { Intent, ObjectBackend } from './types.ts';

const nothing = async (): Promise<void> => undefined;
const intent: Intent = { giveUp: nothing, settle: nothing, leave: nothing };

/** Clients can still read objects, so writes receive the same error as if the disk were full. */
const reject = async (): Promise<never> => {
  throw Object.assign(new Error('The bucket belongs to the original server'), { code: 'ENOSPC' });
};

export const readOnly = (backend: ObjectBackend): ObjectBackend => ({
  open: (version) => backend.open(version),
  announce: async () => intent,
  write: reject,
  copy: reject,
  writePart: reject,
  assemble: reject,
  removeParts: nothing,
  recover: async () => ({ settledIntents: 0, removedVersions: 0 }),
  close: () => backend.close(),
});
