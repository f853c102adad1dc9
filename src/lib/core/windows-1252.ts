// 0x80-0x9F; the five unassigned bytes keep their C1 controls, as in the WHATWG table.
const HIGH_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/**
 * Decodes Windows-1252, which gives every byte a character. Not by TextDecoder: several versions of Node read this label
 * as ISO-8859-1.
 */
export function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replaceAll(/[\u0080-\u009F]/g, (character) => HIGH_CONTROLS.charAt(character.charCodeAt(0) - 0x80));
}
