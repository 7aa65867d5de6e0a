/** Selects the output format of an image. */
import type { Transform } from './transform.ts';

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
