/**
 * Returns a QR code as SVG without the characters `#` and `%`, because auth-js inserts the SVG into a `data:` URL
 * without escaping it.
 */
export async function qrSvg(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  const svg = await qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'H' });
  // The QR code library supports only hexadecimal colors, so the function replaces them with color names.
  return svg.trim().replaceAll('"#ffffff"', '"white"').replaceAll('"#000000"', '"black"');
}
