/** How many bytes a text has in UTF-8, without encoding it. A lone surrogate is written as U+FFFD: 3 bytes. @internal */
export const byteLength = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    if (unit < 0x800) {
      bytes += 1
    } else if (isHigh(unit) && isLow(text.charCodeAt(index + 1))) {
      // Two units, four bytes.
      bytes += 2
      index++
    } else {
      bytes += 2
    }
  }
  return bytes
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
