/** Things that happen once, by name; who waits for one may come before it or after it. */
export const make = () => {
  const known = new Map<string, PromiseWithResolvers<void>>()
  const of = (name: string) => {
    const found = known.get(name) ?? Promise.withResolvers<void>()
    known.set(name, found)
    return found
  }
  return { happen: (name: string) => of(name).resolve(), wait: (name: string) => of(name).promise }
}

export type Occasions = ReturnType<typeof make>
