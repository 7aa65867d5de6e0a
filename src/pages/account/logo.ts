/** Serves the logo at `/account/logo`: the project's file, a redirect to the logo's URL, or a monogram. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../platform/config/index.ts';
import { monogram } from './core/branding.ts';

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

const svg = /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/;

/**
 * Returns the media type according to the first bytes, because file names aren't reliable. Returns undefined if browsers
 * don't display the file as an image.
 */
export function pictureType(bytes: Buffer): string | undefined {
  const hex = bytes.subarray(0, 12).toString('hex');
  if (hex.startsWith('89504e470d0a1a0a')) return 'image/png';
  if (hex.startsWith('ffd8ff')) return 'image/jpeg';
  if (/^474946383[79]61/.test(hex)) return 'image/gif';
  if (/^52494646.{8}57454250$/.test(hex)) return 'image/webp';
  // The pattern also accepts a leading byte order mark, which `\s` matches in JavaScript.
  return svg.test(bytes.subarray(0, 4096).toString('utf8')) ? 'image/svg+xml' : undefined;
}
