/**
 * Serves one of the built web apps (`dist/web/account`, `dist/web/console`). Asset names contain a hash of the content,
 * so the content for a name never changes. Each HTML response contains a new nonce, which its content security policy
 * also contains.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompressSync, createBrotliDecompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The placeholder that the build inserts wherever the response needs its nonce. */
export const noncePlaceholder = '%PLINTH_NONCE%';

/** The placeholder for the style that all prerendered pages of a web app share. */
export const sharedStylePlaceholder = '%PLINTH_SHARED_STYLE%';
/** The file with the shared style, in the folder of the web app. */
export const sharedStyleFile = 'shared-style.css';

export interface WebFace {
  /**
   * Whether the app has been built. If false, {@link WebFace.sendPage} sends a page that explains that the app isn't
   * built.
   */
  readonly built: boolean;
  /** Returns the text of a built HTML file, for example `index.html`. Returns undefined if the file doesn't exist. */
  html(name: string): string | undefined;
  /**
   * Returns a page from a file that contains several pages, such as the page `sign-in.html` from `pages/en.json`.
   * Returns undefined if the file or the page doesn't exist.
   */
  page(file: string, name: string): string | undefined;
  /** Sends a built asset, for routes such as `GET …/assets/:name`. */
  sendAsset(request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply;
  /** Sends a page in which every placeholder is replaced with the same new nonce. */
  sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): Promise<FastifyReply>;
}

export interface Page {
  readonly html: string;
  readonly status?: number;
  /** The sources of images in addition to the server's own origin. */
  readonly imageSources?: readonly string[];
  /** Whether the page can show frames from the server's own origin. */
  readonly frames?: boolean;
  /** The sources of frames in addition to the server's own origin. */
  readonly frameSources?: readonly string[];
  /**
   * The API's origin. The page can send requests to this origin, open WebSocket connections to it, and show its images
   * and media.
   */
  readonly api?: string;
  /**
   * The source of a third-party widget that the page loads. The policy also allows frames, styles and connections from
   * this source.
   */
  readonly widgetSources?: readonly string[];
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

const compressed = promisify(gzip);

/**
 * Returns the policy of a page. The policy contains `'strict-dynamic'` with a nonce instead of `'self'`, so the page
 * can load only the scripts that the build specified, regardless of the origin's other content. The policy doesn't
 * allow inline code except style attributes, which the components' markup contains.
 */
export function contentSecurityPolicy(nonce: string, page: Omit<Page, 'html' | 'status'> = {}): string {
  const { imageSources = [], frames = false, api, widgetSources = [] } = page;
  const frameSources = [...(frames ? ["'self'"] : []), ...(page.frameSources ?? []), ...widgetSources];
  const apiSources = api === undefined ? [] : [api];
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    [`style-src-elem 'nonce-${nonce}'`, ...widgetSources].join(' '),
    "style-src-attr 'unsafe-inline'",
    ["img-src 'self' data:", ...imageSources, ...apiSources].join(' '),
    [
      "connect-src 'self'",
      ...widgetSources,
      ...apiSources.flatMap((origin) => [origin, origin.replace(/^http/, 'ws')]),
    ].join(' '),
    ...(api === undefined ? [] : [`media-src ${api}`]),
    ...(frameSources.length > 0 ? [['frame-src', ...frameSources].join(' ')] : []),
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export function createWebFace(dir: string): WebFace {
  const assetsDir = join(dir, 'assets');
  let sharedStyle: string | undefined;
  // A file is about two megabytes, so only the file that was read last is kept.
  let recent: { readonly file: string; readonly pages: Readonly<Record<string, string>> } | undefined;
  const built = readText(join(dir, 'index.html')) !== undefined;
  // Requested asset names are looked up in this set, so the server never builds a path from client input.
  const assets = new Set(built && existsSync(assetsDir) ? readdirSync(assetsDir) : []);
  const has = (name: string): boolean => assets.has(name) || assets.has(`${name}.br`);

  /** Plinth's npm package contains scripts and styles only with brotli compression. */
  const openAsset = (name: string): Readable => {
    if (assets.has(name)) return createReadStream(join(assetsDir, name));
    const decompressed = createBrotliDecompress();
    // A stream error ends the response.
    pipeline(createReadStream(join(assetsDir, `${name}.br`)), decompressed).catch(() => undefined);
    return decompressed;
  };

  /** Browsers accept brotli only over HTTPS and from localhost, so in a local network they use gzip. */
  const openGzip = (name: string): Readable => {
    if (assets.has(`${name}.gz`)) return openAsset(`${name}.gz`);
    const compressing = createGzip();
    pipeline(openAsset(name), compressing).catch(() => undefined);
    return compressing;
  };

  return {
    built,
    html: (name) => (built ? readText(join(dir, name)) : undefined),
    page(file, name) {
      if (recent?.file !== file) {
        const text = built ? readText(join(dir, file)) : undefined;
        if (text === undefined) return undefined;
        recent = { file, pages: JSON.parse(text) as Record<string, string> };
      }
      return Object.hasOwn(recent.pages, name) ? recent.pages[name] : undefined;
    },
    sendAsset(request, reply, name) {
      const type = types[name.slice(name.lastIndexOf('.') + 1)];
      if (!has(name) || type === undefined) {
        return reply.code(404).send({ code: 'not_found', message: "This file doesn't exist." });
      }
      // Only files that become smaller have a compressed form.
      const coding = assets.has(`${name}.br`) ? codings.find((each) => accepts(request, each)) : undefined;
      reply.headers({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        vary: 'accept-encoding',
        ...(coding ? { 'content-encoding': coding } : {}),
      });
      if (coding === 'gzip') return reply.send(openGzip(name));
      return reply.send(openAsset(coding === 'br' ? `${name}.br` : name));
    },
    async sendPage(request, reply, { html, status = 200, ...allowed }) {
      const nonce = randomBytes(16).toString('base64');
      const text = html
        .replace(sharedStylePlaceholder, () => {
          sharedStyle ??= readText(join(dir, sharedStyleFile)) ?? '';
          return sharedStyle;
        })
        .replaceAll(noncePlaceholder, nonce);
      const gzipped = accepts(request, 'gzip');
      reply.code(status).headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentSecurityPolicy(nonce, allowed),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': 'camera=(), geolocation=(), microphone=()',
        vary: 'accept-encoding',
        ...(gzipped ? { 'content-encoding': 'gzip' } : {}),
      });
      return reply.send(gzipped ? await compressed(text) : text);
    },
  };
}

/**
 * Reads a page or the shared style. Plinth's npm package contains only compressed pages, because uncompressed pages would
 * account for most of its size.
 */
function readText(file: string): string | undefined {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const archive = `${file}.br`;
  return existsSync(archive) ? brotliDecompressSync(readFileSync(archive)).toString('utf8') : undefined;
}

/** The content codings of assets, in order of increasing size. */
const codings = ['br', 'gzip'] as const;

/** Whether the client accepts this content coding. The quality value is ignored, because browsers don't send `q=0`. */
export function accepts(request: FastifyRequest, coding: 'br' | 'gzip'): boolean {
  return new RegExp(`\\b${coding}\\b`).test(request.headers['accept-encoding'] ?? '');
}
