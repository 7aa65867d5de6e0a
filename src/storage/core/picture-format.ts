/** Which format a picture is sent in. */
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
 * What was asked for; else the smallest that the client names in `Accept` (a mere `*` names none); else as it was
 * stored, or JPEG for a format that no browser shows.
 */
export function chooseFormat(
  asked: Transform['format'],
  accept: string | undefined,
  source: PictureFormat | undefined,
): PictureFormat {
  if (asked === 'avif' || asked === 'webp') return asked;
  if (asked === undefined) {
    const accepted = acceptedTypes(accept ?? '');
    if (accepted.has('image/avif')) return 'avif';
    if (accepted.has('image/webp')) return 'webp';
  }
  return source ?? 'jpeg';
}

/** Media types that are named and not refused with `q=0` (RFC 9110, section 12.5.1). */
function acceptedTypes(accept: string): ReadonlySet<string> {
  const named = accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type];
  });
  return new Set(named);
}
