/** The ids of sessions: nobody is asked for a session of any other. */

/** @internal */
export const make = (): string => crypto.randomUUID()

/** @internal */
export const isSessionId = (id: string): boolean => uuid.test(id)

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
