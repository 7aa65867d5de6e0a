/**
 * Returns a QR code as SVG without `#` and `%`, because the stock client inserts it into a `data:` URL without
 * escaping.
 */
export async function qrSvg(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  const svg = await qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'H' });
  // The library supports only hexadecimal colors, so they are replaced with color names.
  return svg.trim().replaceAll('"#ffffff"', '"white"').replaceAll('"#000000"', '"black"');
}
