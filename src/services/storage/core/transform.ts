/**
 * Defines the image transformation options for `/render/image` and their encodings in queries, signed tokens and
 * responses. The options are those of supabase/storage 1.11.2, which passes them to imgproxy 3.
 */

export type Gravity = (typeof gravities)[number];

export const gravities = ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'] as const;
export const resizeModes = ['cover', 'contain', 'fill'] as const;
export const formats = ['origin', 'avif', 'webp'] as const;

export interface Transform {
  /** The width in pixels. A side that is 0 or absent is derived from the other side. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly resize?: (typeof resizeModes)[number] | undefined;
  /** The output format. If the format is absent, the best format that the client accepts is used. */
  readonly format?: (typeof formats)[number] | undefined;
  /** The quality, from 20 to 100. */
  readonly quality?: number | undefined;
  /**
   * The part of the image to keep when `cover` crops it. The value is a side, `sm` for the most salient region, or `fp`
   * for a focus point.
   */
  readonly gravity?: Gravity | undefined;
  readonly x_offset?: number | undefined;
  readonly y_offset?: number | undefined;
}

/** The maximum width and height, which is the hosted service's limit. */
export const maxSidePixels = 2500;
export const defaultQuality = 80;

/** The names of the resize modes in imgproxy. */
const resizingTypes = { cover: 'fill', contain: 'fit', fill: 'force' } as const;

/** Returns the parts of the header `X-Transformations`, which describes the applied transformation. */
export function describeTransform(transform: Transform): string[] {
  return segments(transform, (resize) => `resizing_type:${resizingTypes[resize ?? 'cover']}`);
}

/** Formats the transformation for a signed token. Returns an empty string if the image isn't transformed. */
export function printTransform(transform: Transform): string {
  return segments(transform, (resize) => (resize === undefined ? undefined : `resize:${resize}`)).join(',');
}

/**
 * Parses the output of {@link printTransform}. Unknown parts of the text are ignored, because only this server issues
 * tokens.
 *
 * @example
 * parseTransform('height:10,gravity:fp:0:1'); // { height: 10, gravity: 'fp', x_offset: 0, y_offset: 1 }
 */
export function parseTransform(text: string): Transform {
  const found: { -readonly [K in keyof Transform]: Transform[K] } = {};
  for (const segment of text.split(',')) {
    const [name, value = '', x, y] = segment.split(':');
    switch (name) {
      case 'width':
      case 'height':
        found[name] = side(Number(value));
        break;
      case 'quality':
        if (Number(value) >= 20 && Number(value) <= 100) found.quality = Number(value);
        break;
      case 'resize':
        found.resize = resizeModes.find((mode) => mode === value);
        break;
      case 'format':
        found.format = formats.find((format) => format === value);
        break;
      case 'gravity':
        found.gravity = gravities.find((gravity) => gravity === value);
        found.x_offset = offset(x);
        found.y_offset = offset(y);
        break;
    }
  }
  return found;
}

/** Limits a side to the maximum. Returns undefined for an unspecified side. */
export function side(pixels: number | undefined): number | undefined {
  if (pixels === undefined || !(pixels >= 1)) return undefined;
  return Math.min(Math.round(pixels), maxSidePixels);
}

function segments(transform: Transform, resize: (mode: Transform['resize']) => string | undefined): string[] {
  const { format, quality, gravity, x_offset: x, y_offset: y } = transform;
  const height = side(transform.height);
  const width = side(transform.width);
  const hasOffset = gravity !== 'sm' && (x !== undefined || y !== undefined);
  return [
    height && `height:${height}`,
    width && `width:${width}`,
    (width || height) && resize(transform.resize),
    quality && `quality:${quality}`,
    format && format !== 'origin' && `format:${format}`,
    gravity && `gravity:${gravity}${hasOffset ? `:${x ?? 0}:${y ?? 0}` : ''}`,
  ].filter((segment): segment is string => typeof segment === 'string');
}

function offset(text: string | undefined): number | undefined {
  const value = Number.parseFloat(text ?? '');
  return Number.isFinite(value) ? value : undefined;
}
