/** Plans the transformation of an image: its output format, its scaled size and its crop. */
import { type Gravity, side, type Transform } from './transform.ts';

export type PictureFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif';

export const pictureTypes: Readonly<Record<PictureFormat, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  avif: 'image/avif',
};

/**
 * Returns the requested format, which is the stored format for `origin`. If the client requests no format, returns AVIF
 * or WebP if the client explicitly lists it in `Accept` (not as `*`), and otherwise the stored format. A format that
 * browsers can't display is replaced with JPEG.
 */
export function chooseFormat(
  requested: Transform['format'],
  accept: string | undefined,
  source: PictureFormat | undefined,
): PictureFormat {
  if (requested === 'avif' || requested === 'webp') return requested;
  if (requested === undefined) {
    const accepted = acceptedTypes(accept ?? '');
    if (accepted.has('image/avif')) return 'avif';
    if (accepted.has('image/webp')) return 'webp';
  }
  return source ?? 'jpeg';
}

/** Returns the media types in `Accept`, except those that are excluded with `q=0` (RFC 9110 section 12.5.1). */
function acceptedTypes(accept: string): ReadonlySet<string> {
  const named = accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type];
  });
  return new Set(named);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface PicturePlan {
  readonly scaled: Size;
  /** The part of the scaled image to keep. If this part is undefined, the whole image is kept. */
  readonly crop?: Size & { readonly left: number; readonly top: number };
  /** The size of a crop around the most salient region. */
  readonly attention?: Size;
}

/**
 * Plans the transformation of an image. The result is never larger than the source, and each side has at least 1 pixel.
 */
export function planPicture(source: Size, transform: Transform): PicturePlan {
  const width = side(transform.width);
  const height = side(transform.height);
  if (width === undefined && height === undefined) return { scaled: source };
  const requested = { width: width ?? source.width, height: height ?? source.height };
  const mode = transform.resize ?? 'cover';
  if (mode === 'fill' && width !== undefined && height !== undefined)
    return {
      scaled: { width: Math.min(width, source.width), height: Math.min(height, source.height) },
    };

  const ratios = { width: requested.width / source.width, height: requested.height / source.height };
  if (mode !== 'cover' || width === undefined || height === undefined) {
    const ratio =
      width === undefined
        ? ratios.height
        : height === undefined
          ? ratios.width
          : Math.min(ratios.width, ratios.height);
    return { scaled: scale(source, ratio) };
  }
  const scaled = scale(source, Math.max(ratios.width, ratios.height));
  const kept = { width: Math.min(width, scaled.width), height: Math.min(height, scaled.height) };
  if (kept.width === scaled.width && kept.height === scaled.height) return { scaled };
  if (transform.gravity === 'sm') return { scaled, attention: kept };
  const [left, top] = corner(scaled, kept, transform);
  return { scaled, crop: { ...kept, left, top } };
}

function scale({ width, height }: Size, ratio: number): Size {
  const factor = Math.min(1, ratio);
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
}

/**
 * The horizontal and vertical position of each gravity: -1 is left or top, 1 is right or bottom, and 0 is the center.
 */
const sides: Record<Exclude<Gravity, 'sm' | 'fp'>, readonly [number, number]> = {
  ce: [0, 0],
  no: [0, -1],
  so: [0, 1],
  ea: [1, 0],
  we: [-1, 0],
  noea: [1, -1],
  nowe: [-1, -1],
  soea: [1, 1],
  sowe: [-1, 1],
};

function corner(scaled: Size, kept: Size, transform: Transform): [number, number] {
  // As in upstream, offsets apply only together with a gravity.
  const {
    gravity = 'ce',
    x_offset: x = 0,
    y_offset: y = 0,
  } = transform.gravity === undefined ? ({} as Transform) : transform;
  const room = [scaled.width - kept.width, scaled.height - kept.height] as const;
  if (gravity === 'fp') {
    const center = [x * scaled.width - kept.width / 2, y * scaled.height - kept.height / 2] as const;
    return [within(center[0], room[0]), within(center[1], room[1])];
  }
  const [towardsX, towardsY] = gravity === 'sm' ? [0, 0] : sides[gravity];
  return [
    within(along(room[0], towardsX, pixels(x, scaled.width)), room[0]),
    within(along(room[1], towardsY, pixels(y, scaled.height)), room[1]),
  ];
}

/** Converts an offset to pixels. An offset below 1 is a fraction of the image. */
const pixels = (offset: number, length: number): number => (Math.abs(offset) < 1 ? offset * length : offset);

/** Offsets from the right side and the bottom move the crop toward the image's center. */
const along = (room: number, towards: number, offset: number): number =>
  (room * (towards + 1)) / 2 + (towards === 1 ? -offset : offset);

const within = (value: number, room: number): number => Math.min(room, Math.max(0, Math.round(value)));
