/** The dialect decides the framing of a server and of a client, which cannot be given another one. */
import { assert, it } from "@effect/vitest"
import { NodeChildProcess, NodeStdio, NodeTcp, NodeUnix } from "@parley/node"
import { Dialect, Framing } from "@parley/protocol"

const framing = Framing.line
const dialect = Dialect.lsp

it("a server and a client take no framing beside their dialect", () => {
  const wrong = [
    // @ts-expect-error the dialect decides
    NodeTcp.layerClient({ port: 1, framing, dialect }),
    // @ts-expect-error the dialect decides
    NodeTcp.layerServer({ port: 1, framing }),
    // @ts-expect-error the dialect decides
    NodeUnix.layerClient({ path: "/a", framing }),
    // @ts-expect-error the dialect decides
    NodeUnix.layerServer({ path: "/a", framing, dialect }),
    // @ts-expect-error the dialect decides
    NodeChildProcess.layerClient({ command: "a", framing, dialect }),
    // @ts-expect-error the dialect decides
    NodeStdio.layerClient({ framing }),
    // @ts-expect-error the dialect decides
    NodeStdio.layerServer({ framing, dialect }),
    // @ts-expect-error the dialect decides
    NodeStdio.runServer({ framing })
  ]
  assert.lengthOf(wrong, 8)
})
