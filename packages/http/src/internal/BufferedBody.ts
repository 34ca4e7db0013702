/**
 * A body that is so short that hosts and clients buffer all of it: it is taken in one piece.
 */

/** The bytes of such a body: about what is buffered of any. */
export const most = 16_384

/** Whether its `content-length` announces no more. */
export const isAnnounced = (contentLength: string | undefined): boolean =>
  contentLength !== undefined && /^\d{1,5}$/.test(contentLength) && Number(contentLength) <= most
