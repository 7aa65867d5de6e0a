/**
 * The format of compressed log files: a zstd frame per block, and a skippable frame (RFC 8878, section 3.1.2) with the
 * index. The index consists of the blocks' Bloom filters, the compressed summaries and a trailer of 16 bytes: the sizes of
 * both parts, and a mark.
 */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { BlockSummary } from './summary.ts';

const compressed = promisify(zstdCompress);
const decompressed = promisify(zstdDecompress);

/** The amount of text per block. Larger blocks are smaller in total, but a query for one entry reads more. */
export const blockBytes = 256 * 1024;
/** The maximum size of a block with a very long line. */
export const maxBlockBytes = 32 * 1024 * 1024;
const level = 4;
const skippableMagic = 0x184d2a50;
const mark = Buffer.from('PLINTHL1');
export const trailerBytes = 16;
const headBytes = 8;

export interface IndexedBlock extends BlockSummary {
  /** The position of the Bloom filter in the file, and its size. */
  readonly bloomOffset: number;
  readonly bloomSize: number;
}

export const compressBlock = (text: Buffer): Promise<Buffer> =>
  compressed(text, {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
  });

/** @throws {Error} if the block is damaged or too large */
export const decompressBlock = (bytes: Buffer): Promise<Buffer> =>
  decompressed(bytes, { maxOutputLength: maxBlockBytes });

/** Returns the frame at the end of the file. @param offset The position of the frame. */
export async function indexFrame(
  blocks: readonly { readonly summary: BlockSummary; readonly bloom: Buffer }[],
  offset: number,
): Promise<Buffer> {
  let bloomOffset = offset + headBytes;
  const all = blocks.map(({ summary, bloom }): IndexedBlock => {
    const block = { ...summary, bloomOffset, bloomSize: bloom.length };
    bloomOffset += bloom.length;
    return block;
  });
  const blooms = Buffer.concat(blocks.map(({ bloom }) => bloom));
  const index = await compressed(JSON.stringify(all));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(skippableMagic, 0);
  head.writeUInt32LE(blooms.length + index.length + trailerBytes, 4);
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(blooms.length, 0);
  trailer.writeUInt32LE(index.length, 4);
  mark.copy(trailer, 8);
  return Buffer.concat([head, blooms, index, trailer]);
}

/** Returns the size of the summaries, or undefined if the file isn't complete. */
export function indexSizeOf(trailer: Buffer): number | undefined {
  if (trailer.length !== trailerBytes || !trailer.subarray(8).equals(mark)) return undefined;
  return trailer.readUInt32LE(4);
}

/** @throws {Error} if the index is damaged */
export async function parseIndex(bytes: Buffer): Promise<readonly IndexedBlock[]> {
  return JSON.parse((await decompressBlock(bytes)).toString('utf8')) as readonly IndexedBlock[];
}
