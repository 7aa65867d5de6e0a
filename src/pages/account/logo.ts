/** Serves the logo at `/account/logo`: the project's file, a redirect to the logo's URL, or a monogram. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../platform/config/index.ts';
import { monogram } from './core/branding.ts';
import { pictureType } from './core/logo.ts';

export type Logo = { readonly type: string; readonly bytes: Buffer } | { readonly address: string };

const maxLogoBytes = 512 * 1024;

/** Reads the logo once at startup. @throws {Error} if the file isn't an image or is too large */
export function readLogo({ project_id, plinth: { branding } }: Config): Logo {
  const { logo, logo_path: file, color } = branding;
  if (file === undefined) {
    if (logo !== undefined) return { address: logo };
    return { type: 'image/svg+xml', bytes: Buffer.from(monogram(branding.name ?? project_id, color)) };
  }
  const bytes = readFileSync(file);
  const type = pictureType(bytes);
  if (type === undefined) {
    throw new Error(`[branding] logo_path of plinth.toml isn't an SVG, PNG, JPEG, WebP or GIF file: ${file}`);
  }
  if (bytes.length > maxLogoBytes) {
    throw new Error(`[branding] logo_path of plinth.toml is larger than 512 KiB: ${file}`);
  }
  return { type, bytes };
}
