/** Backends that wrap another backend: one that records changes for backups, and one that can only be read. */
import type { BodyJournal, BodyStore } from '../../../operations/backup/types.ts';
import type { Intent, ObjectBackend } from './types.ts';

/**
 * A backend that records changes for backups. Each stored body is recorded in a journal before its row is committed.
 * Removals are only recorded, and the backup removes each body after copying it.
 */
export function journaled(backend: ObjectBackend, journal: BodyJournal): ObjectBackend {
  const noted = async <T>(version: string, stored: Promise<T>): Promise<T> => {
    const body = await stored;
    if (body !== undefined) journal.stored(version);
    return body;
  };
  const { storeFile, multipart, sweep } = backend;
  return {
    ...methodsOf(backend),
    async announce(versions) {
      const intent = await backend.announce(versions);
      return deferred(intent, journal);
    },
    write: (version, body, maxBytes) => noted(version, backend.write(version, body, maxBytes)),
    copy: (from, to) => noted(to, backend.copy(from, to)),
    assemble: (upload, parts, version) => noted(version, backend.assemble(upload, parts, version)),
    ...(storeFile && {
      storeFile: (version, path) => noted(version, storeFile.call(backend, version, path)),
    }),
    ...(multipart && {
      multipart: {
        ...multipart,
        complete: (upload, parts) => noted(upload.version, multipart.complete(upload, parts)),
        empty: (version) => noted(version, multipart.empty(version)),
      },
    }),
    ...(sweep && { sweep: (options) => sweep.call(backend, options) }),
    recover: (findLiving) =>
      backend.recover(async (versions) => {
        const living = await findLiving(versions);
        journal.removed(versions.filter((version) => !living.has(version)));
        return new Set(versions);
      }),
  };
}

/** Provides the `BodyStore` interface for a backend without a journal. */
export const bodyStore = (backend: ObjectBackend): BodyStore => ({
  async read(version) {
    const body = await backend.open(version);
    if (body === undefined) return undefined;
    const bytes = await body.read();
    return bytes instanceof Uint8Array ? once(bytes) : bytes;
  },
  async write(version, bytes, maxBytes) {
    await backend.write(version, { [Symbol.asyncIterator]: () => bytes[Symbol.asyncIterator]() }, maxBytes);
  },
  async remove(versions) {
    const intent = await backend.announce(versions);
    await intent.settle(versions);
  },
});

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const deferred = (intent: Intent, journal: BodyJournal): Intent => ({
  giveUp: (versions) => intent.giveUp(versions),
  async settle(gone) {
    try {
      journal.removed(gone);
    } catch (error) {
      await intent.leave();
      throw error;
    }
    await intent.settle([]);
  },
  leave: () => intent.leave(),
});

/** Returns the backend's unchanged methods, bound to the backend. */
const methodsOf = (backend: ObjectBackend): ObjectBackend => ({
  announce: (versions) => backend.announce(versions),
  write: (version, body, maxBytes) => backend.write(version, body, maxBytes),
  copy: (from, to) => backend.copy(from, to),
  writePart: (upload, id, body, maxBytes) => backend.writePart(upload, id, body, maxBytes),
  assemble: (upload, parts, version) => backend.assemble(upload, parts, version),
  removeParts: (upload, ids) => backend.removeParts(upload, ids),
  open: (version) => backend.open(version),
  ...linksOf(backend),
  recover: (findLiving) => backend.recover(findLiving),
  close: () => backend.close(),
});

const linksOf = ({ downloadUrl }: ObjectBackend): Pick<ObjectBackend, 'downloadUrl'> =>
  downloadUrl === undefined ? {} : { downloadUrl };

const nothing = async (): Promise<void> => undefined;
const intent: Intent = { giveUp: nothing, settle: nothing, leave: nothing };

/** Clients can still read objects, so writes receive the same error as if the disk were full. */
const reject = async (): Promise<never> => {
  throw Object.assign(new Error('The bucket belongs to the original server'), { code: 'ENOSPC' });
};

/** A backend whose objects belong to another server. The objects can be read, but nothing is stored or removed. */
export const readOnly = (backend: ObjectBackend): ObjectBackend => ({
  open: (version) => backend.open(version),
  announce: async () => intent,
  write: reject,
  copy: reject,
  writePart: reject,
  assemble: reject,
  removeParts: nothing,
  ...linksOf(backend),
  recover: async () => ({ settledIntents: 0, removedVersions: 0 }),
  close: () => backend.close(),
});
