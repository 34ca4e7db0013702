/** How many bytes a text has in UTF-8, without encoding it. A lone surrogate is written as U+FFFD: 3 bytes. @internal */
export const byteLength = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x800) bytes += 2
    else if (unit >= 0x80) bytes += 1
    // The two units of a pair have four bytes together.
    if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) bytes -= 2
  }
  return bytes
}
