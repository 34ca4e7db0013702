/**
 * The message that has not ended on the wire of a WebSocket, as its frames tell (RFC 6455, 5.2).
 *
 * It reads headers alone, so payloads may be unmasked already. Control frames may
 * come within a message and are no part of it.
 */
export class Frames {
  /** Fragments with a payload of the message that has not ended. */
  fragments = 0
  /** Messages that have ended. */
  messages = 0
  /** Whether the frame that comes is no control frame. */
  private isData = false
  private isLast = false
  private isEmpty = true
  /** Bytes of the header that have come; 0 between two frames. */
  private at = 0
  /** Bytes that the length of the payload takes beside the second byte. */
  private extended = 0
  private mask = 0
  /** Bytes that come before the end of the frame, once the header says so. */
  private left = 0

  /** Whether a message has begun and not ended. */
  get isUnfinished(): boolean {
    return this.fragments > 0 || (this.at > 0 && this.isData)
  }

  /** Takes the bytes of a read. Gives whether some of them belong to a message that has not ended. */
  read(bytes: Uint8Array): boolean {
    let isPart = false
    for (let at = 0; at < bytes.length;) {
      if (this.at >= 2 + this.extended) {
        const count = Math.min(this.left, bytes.length - at)
        this.left -= count
        at += count
      } else this.header(bytes[at++] ?? 0)
      isPart ||= this.isData
      if (this.at < 2 + this.extended || this.left > 0) continue
      this.at = 0
      this.extended = 0
      if (this.end()) isPart = false
    }
    return isPart && this.isUnfinished
  }

  private header(byte: number): void {
    const at = this.at++
    if (at === 0) {
      this.isLast = (byte & 0x80) !== 0
      this.isData = (byte & 0x08) === 0
    } else if (at === 1) {
      const length = byte & 0x7f
      this.extended = length === 127 ? 8 : length === 126 ? 2 : 0
      this.mask = (byte & 0x80) === 0 ? 0 : 4
      this.left = this.extended === 0 ? length : 0
    } else this.left = this.left * 256 + byte
    if (at > 0 && this.at === 2 + this.extended) {
      this.isEmpty = this.left === 0
      this.left += this.mask
    }
  }

  /** A frame has ended. Gives whether a message has. */
  private end(): boolean {
    if (!this.isData) return false
    if (!this.isLast) {
      if (!this.isEmpty) this.fragments++
      return false
    }
    this.fragments = 0
    this.messages++
    return true
  }
}
