/** A `fetch` that keeps what was asked, and whose streams can be broken off as a network does. */
interface Asked {
  readonly method: string
  readonly headers: { readonly [name: string]: string }
}

export const tapped = () => {
  const requests: Array<Asked> = []
  const open = new Map<AbortController, string>()

  const tappedFetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? "GET"
    requests.push({ method, headers: Object.fromEntries(new Headers(init.headers)) })
    const network = new AbortController()
    const signals = [network.signal, ...(init.signal === undefined || init.signal === null ? [] : [init.signal])]
    open.set(network, method)
    const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
    if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) open.delete(network)
    return response
  }

  const cut = (network: AbortController) => {
    open.delete(network)
    network.abort(new Error("the network broke"))
  }

  return {
    fetch: tappedFetch,
    requests,
    /** The requests that came back for the rest of a stream. */
    resumptions: () => requests.filter(({ headers }) => headers["last-event-id"] !== undefined),
    /** Breaks off the streams that answer a method. */
    breakOff: (method: string) => {
      for (const [network, answered] of open) {
        if (answered === method) cut(network)
      }
    },
    /** Breaks off all that is not answered, or answered by a stream. */
    breakAll: () => {
      for (const network of open.keys()) cut(network)
    }
  }
}
