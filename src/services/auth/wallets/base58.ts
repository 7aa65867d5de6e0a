/** Decodes the base58 format of Solana addresses, which uses Bitcoin's alphabet and has no checksum. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Decodes an address. Returns undefined if the text contains other characters. Decoding takes quadratic time, so this
 * function is suitable only for short texts.
 */
export function decodeBase58(text: string): Uint8Array | undefined {
  let number = 0n;
  for (const letter of text) {
    const digit = alphabet.indexOf(letter);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? '' : number.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Buffer.concat([Buffer.alloc(zeros), bytes]);
}
