/**
 * Returns a QR code as SVG without `#` and `%`. The stock client inserts the SVG into a `data:` URL without escaping
 * it.
 */
export async function qrSvg(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  const svg = await qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'H' });
  // The library accepts and writes only hexadecimal colors, so they are replaced with color names.
  return svg.trim().replaceAll('"#ffffff"', '"white"').replaceAll('"#000000"', '"black"');
}
