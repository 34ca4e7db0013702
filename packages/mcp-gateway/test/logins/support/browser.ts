import { Effect } from "effect"

/** A browser of a person, which keeps its cookies and follows redirects. */
export const browser = (person: string) => {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = ({ host }: URL) => {
    const jar = jars.get(host) ?? new Map([["person", person]])
    jars.set(host, jar)
    return jar
  }
  /** Opens a page, and gives the one at which it ends, or the first whose URL a test wants to see. */
  const open = (page: string, stop: (url: URL) => boolean = () => false) =>
    Effect.promise(async () => {
      let at = new URL(page)
      for (let steps = 0; steps < 20; steps++) {
        const jar = jarOf(at)
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
        const response = await fetch(at, { redirect: "manual", headers: { cookie } })
        const text = await response.text()
        for (const set of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
          if (value === "") jar.delete(name)
          else jar.set(name, value)
        }
        const location = response.headers.get("location")
        if (location === null) return { status: response.status, text, url: at }
        at = new URL(location, at)
        if (stop(at)) return { status: response.status, text, url: at }
      }
      throw new Error("too many redirects")
    })
  return { open }
}
