/** A QR code as SVG that fits into a `data:` URL unescaped, because the stock client puts it there as it is: no `#`, no `%`. */
export async function qrSvg(text: string): Promise<string> {
  const { default: qrcode } = await import('qrcode');
  const svg = await qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'H' });
  // The library takes and writes colors in hexadecimal only.
  return svg.trim().replaceAll('"#ffffff"', '"white"').replaceAll('"#000000"', '"black"');
}
