/**
 * Returns a QR code as SVG that needs no escaping in a `data:` URL, because the stock client inserts it unchanged: no
 * `#`, no `%`.
 */
export async function qrSvg(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  const svg = await qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'H' });
  // The library accepts and writes only hexadecimal colors.
  return svg.trim().replaceAll('"#ffffff"', '"white"').replaceAll('"#000000"', '"black"');
}
