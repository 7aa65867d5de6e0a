/**
 * Extension packs contain PostgreSQL extensions with native code, which the embedded PostgreSQL's npm package doesn't
 * include.
 *
 * pack: a folder with `extension/` (control file and scripts), `lib/` (the library) and `licenses/`
 * wheel: the archive on the Python Package Index from which a pack is extracted. A wheel is a ZIP archive.
 * index: a server that lists the files of a project (the simple repository API, PEP 503 and PEP 691)
 */
import type { Platform } from '../packages/index.ts';

export interface Wheel {
  readonly file: string;
  readonly sizeBytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
  /** The path of the extension's library in the wheel. */
  readonly library: string;
}

/** A pack in the checked list `known.json`. */
export interface KnownPack {
  /** The name of the extension. */
  readonly name: string;
  /** The version of the extension. */
  readonly version: string;
  /** Earlier versions that contain the same objects, so that a project can request them. */
  readonly sameObjectsAs: readonly string[];
  /** The major version of PostgreSQL for which the library was built. */
  readonly postgres: number;
  /** The name and the version of the project on the Python Package Index. */
  readonly project: string;
  readonly release: string;
  /** The folder in the wheel that contains the control file and the scripts, with a slash at the end. */
  readonly scripts: string;
  readonly licenses: string;
  readonly wheels: Readonly<Record<Platform, Wheel>>;
}
