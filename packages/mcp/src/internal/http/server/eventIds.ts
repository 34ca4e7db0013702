/** Ids of events, which name a stream and a place there. */

/** The id of an event by its place, from 1 on; 0 is before the first. @internal */
export const idOf = (stream: string, place: number): string => `${stream}_${place}`

/** The stream of an id, and the place there; a place that no stream has where it is no such id. @internal */
export const placeOf = (id: string): readonly [stream: string, place: number] => {
  const at = id.lastIndexOf("_")
  const digits = id.slice(at + 1)
  return at > 0 && /^\d{1,15}$/.test(digits) ? [id.slice(0, at), Number(digits)] : ["", Number.POSITIVE_INFINITY]
}

/** The name of a new stream: no process has given it to another. @internal */
export const newStream = (isGeneral: boolean): string => `${isGeneral ? general : ""}${crypto.randomUUID()}`

/** Whether a stream is one of what belongs to no request, of this process or an earlier one. @internal */
export const isGeneral = (stream: string): boolean => stream.startsWith(general)

const general = "general-"
