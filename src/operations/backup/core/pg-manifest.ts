/**
 * PostgreSQL's backup manifest, which contains the size and checksum of every file (PostgreSQL 18 documentation,
 * chapter 77).
 */

export interface ManifestFile {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Returns the manifest's files by name. @throws {Error} if the manifest is invalid */
export function parsePgManifest(text: string): ReadonlyMap<string, ManifestFile> {
  const { Files } = JSON.parse(text) as {
    Files: readonly {
      readonly Path?: string;
      readonly 'Encoded-Path'?: string;
      readonly Size: number;
      readonly 'Checksum-Algorithm'?: string;
      readonly Checksum?: string;
    }[];
  };
  return new Map(
    Files.map((file) => {
      const name = file.Path ?? Buffer.from(file['Encoded-Path'] ?? '', 'hex').toString('utf8');
      if (file['Checksum-Algorithm'] !== 'SHA256')
        throw new Error(`The manifest has no checksum for ${name}`);
      return [name, { sizeBytes: file.Size, sha256: (file.Checksum ?? '').toLowerCase() }] as const;
    }),
  );
}

/** The files in the archive that aren't listed in the manifest. */
const unlisted = /^(pg_wal\/|tablespace_map$)/;

export interface ManifestCheck {
  /** Checks a file. @throws {Error} if the file differs from the manifest or isn't listed */
  file(name: string, facts: ManifestFile): void;
  /** Checks that all files listed in the manifest were present. @throws {Error} if a file is missing */
  end(): void;
}

export function checkAgainst(manifest: ReadonlyMap<string, ManifestFile>): ManifestCheck {
  const missing = new Set(manifest.keys());
  return {
    file(name, { sizeBytes, sha256 }) {
      const expected = manifest.get(name);
      if (expected === undefined && unlisted.test(name)) return;
      if (expected?.sizeBytes !== sizeBytes || expected.sha256 !== sha256)
        throw new Error(`The file ${name} differs from PostgreSQL's manifest`);
      missing.delete(name);
    },
    end() {
      const [name] = missing;
      if (name !== undefined) throw new Error(`The file ${name} is missing`);
    },
  };
}
