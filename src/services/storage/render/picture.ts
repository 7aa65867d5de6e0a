/**
 * Transforms images with sharp (libvips), which is loaded on first use. Formats that can reference files or contain
 * programs (SVG, PDF, XML) aren't decoded. If an image is animated, only its first frame is used.
 */
import type { Metadata, Sharp, SharpConstructor, SharpOptions } from 'sharp';
import { importPackage } from '../../../platform/packages/index.ts';
import { chooseFormat, type PictureFormat, planPicture } from '../core/picture.ts';
import { defaultQuality, type Transform } from '../core/transform.ts';
import { StorageError } from '../errors.ts';

/** The maximum size of a source image, as on the hosted service. */
export const maxSourceBytes = 25 * 1000 * 1000;
export const maxSourcePixels = 50 * 1000 * 1000;
export const renderTimeoutSeconds = 15;
/**
 * The maximum number of pixels for automatic AVIF output. Encoding larger images as AVIF takes seconds, so AVIF is used
 * for them only if the request specifies AVIF.
 */
const maxAutomaticAvifPixels = 2 * 1000 * 1000;

const readableFormats = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map(
  (name) => `VipsForeignLoad${name}`,
);
/** sharp reads a file with an invalid checksum, but rejects a truncated file. */
const reading: SharpOptions = { failOn: 'truncated', limitInputPixels: maxSourcePixels };

export interface Picture {
  readonly format: PictureFormat;
  readonly bytes: Buffer;
}

/** Transforms an image. @throws {StorageError} ImageUnsupported, ImageTooManyPixels, ImageTimeout, ImageUnavailable */
export async function makePicture(
  source: Buffer,
  transform: Transform,
  accept: string | undefined,
  onProgress: (message: string) => void,
): Promise<Picture> {
  const sharp = await loadSharp(onProgress);
  try {
    const metadata = await sharp(source, reading).metadata();
    const { width, height } = metadata.autoOrient;
    // The size is checked again because some formats must be decoded before their size is known.
    if (width * height > maxSourcePixels) throw new StorageError('ImageTooManyPixels');
    const { scaled, crop, attention } = planPicture({ width, height }, transform);
    const image = sharp(source, reading).autoOrient().timeout({ seconds: renderTimeoutSeconds });
    if (attention) image.resize({ ...attention, fit: 'cover', position: sharp.strategy.attention });
    else if (scaled.width !== width || scaled.height !== height) image.resize({ ...scaled, fit: 'fill' });
    if (crop) image.extract(crop);
    const size = attention ?? crop ?? scaled;
    const format = formatOf(transform, accept, metadata, size.width * size.height);
    return { format, bytes: await encode(image, format, transform.quality).toBuffer() };
  } catch (error) {
    throw translate(error);
  }
}

let loaded: Promise<SharpConstructor> | undefined;

/** Loads sharp, which the npm package downloads on first use. @throws {StorageError} ImageUnavailable */
function loadSharp(onProgress: (message: string) => void): Promise<SharpConstructor> {
  loaded ??= importSharp(onProgress).then((sharp) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: readableFormats });
    // sharp's own cache doesn't help here, and a single image must not use all CPUs.
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  // A failed attempt to load sharp isn't cached, because a later attempt can succeed.
  loaded.catch(() => {
    loaded = undefined;
  });
  return loaded;
}

async function importSharp(onProgress: (message: string) => void): Promise<SharpConstructor> {
  try {
    return (await importPackage<{ default: SharpConstructor }>('images', 'sharp', onProgress)).default;
  } catch (error) {
    throw new StorageError('ImageUnavailable', undefined, { cause: error });
  }
}

function formatOf(
  transform: Transform,
  accept: string | undefined,
  metadata: Metadata,
  pixels: number,
): PictureFormat {
  const source = sourceFormat(metadata);
  const format = chooseFormat(transform.format, accept, source);
  if (format !== 'avif' || transform.format === 'avif' || pixels <= maxAutomaticAvifPixels) return format;
  return chooseFormat(transform.format, accept?.replaceAll(/image\/avif/gi, ''), source);
}

function sourceFormat({ format, compression }: Metadata): PictureFormat | undefined {
  if (format === 'heif') return compression === 'av1' ? 'avif' : undefined;
  return format === 'jpeg' || format === 'png' || format === 'webp' || format === 'gif' ? format : undefined;
}

function encode(image: Sharp, format: PictureFormat, requested: number | undefined): Sharp {
  const quality = requested ?? defaultQuality;
  switch (format) {
    case 'jpeg':
      return image.flatten({ background: '#fff' }).jpeg({ quality, mozjpeg: false, progressive: true });
    case 'png':
      return image.png();
    case 'gif':
      return image.gif();
    case 'webp':
      return image.webp({ quality });
    case 'avif':
      // AVIF's quality scale differs from that of other formats. With a value of 80, an AVIF image would be nearly
      // lossless.
      return image.avif({ quality: Math.round(quality * 0.75), effort: 2 });
  }
}

function translate(error: unknown): unknown {
  if (error instanceof StorageError) return error;
  const text = error instanceof Error ? error.message : '';
  if (/exceeds pixel limit|too large/i.test(text))
    return new StorageError('ImageTooManyPixels', undefined, { cause: error });
  if (/timeout/i.test(text)) return new StorageError('ImageTimeout', undefined, { cause: error });
  return new StorageError('ImageUnsupported', undefined, { cause: error });
}
