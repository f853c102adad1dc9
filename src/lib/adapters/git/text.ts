import { isUtf8 } from 'node:buffer';

// 0x80-0x9F of windows-1252; the five unassigned bytes keep their C1 controls, as in the WHATWG table. Not TextDecoder:
// several Node versions decode this label as ISO-8859-1.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/**
 * Decodes text of unknown encoding: by the label when there is one that is known and fits, else as UTF-8, and as
 * windows-1252 what is not valid UTF-8.
 */
export function decodeText(bytes: Uint8Array, label?: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (label !== undefined) {
    const labelled = decodeAs(label, buffer);
    if (labelled !== undefined) return labelled;
  }
  return isUtf8(buffer) ? buffer.toString('utf8') : decodeWindows1252(buffer);
}

/**
 * Decodes a path or a ref name. Valid UTF-8 is given as it is. Otherwise each byte that is no part of a valid sequence
 * becomes `%XX` (upper-case hex) and each `%` becomes `%25`, so the bytes can be told from the result.
 */
export function decodePath(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let path = '';
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const character = bytes.subarray(at, at + length);
    if (lead === 0x25 || !isUtf8(character)) {
      path += `%${lead.toString(16).toUpperCase().padStart(2, '0')}`;
      at += 1;
    } else {
      path += character.toString('utf8');
      at += length;
    }
  }
  return path;
}

function decodeAs(label: string, bytes: Buffer): string | undefined {
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
    return decoder.encoding === 'windows-1252' ? decodeWindows1252(bytes) : decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[\u0080-\u009F]/g, (character) => WINDOWS_1252.charAt(character.charCodeAt(0) - 0x80));
}
