/** Everything that tries again spreads its waits at random, so that clients that failed together do not come back together. */
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")

/** The owner of the waits. */
const owner = "packages/transport/src/shared/Backoff.ts"

/** Schedules that are no attempts. */
const exceptions: Readonly<Record<string, string>> = {
  "packages/node/src/internal/tokens/FileLock.ts": "a lock that is held is touched at an even pace"
}

/** Files whose loops try again, and wait between two attempts. */
const loops: ReadonlyArray<string> = [
  "packages/mcp/src/internal/client/negotiation/failures.ts",
  "packages/mcp/src/internal/http/client/ResumableStream.ts",
  "packages/mcp/src/internal/http/nodes/joined.ts",
  "packages/mcp-tasks/src/internal/server/journal/Keeper.ts",
  "packages/mcp-tasks/src/internal/server/TaskRun.ts",
  "packages/mcp-gateway/src/internal/upstream/lists/Catalog.ts",
  "packages/mcp-gateway/src/internal/upstream/Attempts.ts",
  "packages/mcp-gateway/src/internal/upstream/lists/features.ts",
  "packages/nats/src/internal/journal/Following.ts",
  "packages/node/src/internal/tokens/FileLock.ts",
  "packages/peer/src/Reconnecting.ts",
  "packages/peer/src/internal/reconnect/Connection.ts"
]

const textOf = (file: string) => readFileSync(join(root, file), "utf8")

/** Sources without comments, whose examples are those of a reader. */
const codeOf = (file: string) => textOf(file).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")

const published = globSync("packages/*/src/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !/^packages\/(?:bench|conformance|examples|site)\//.test(file))

/** Constructors of schedules whose waits are the same for everybody, but where `jittered` stands around them. */
const even = /(?<!Schedule\.jittered\()Schedule\.(?:exponential|fibonacci|spaced|fixed|windowed|duration)\(/

describe("waits before another attempt", () => {
  it("come from `Backoff`, or are jittered where they are made", () => {
    const found = published.filter((file) => file !== owner && !(file in exceptions) && even.test(codeOf(file)))
    assert.deepStrictEqual(found, [])
    assert.isAbove(published.length, 300)
    for (const file of Object.keys(exceptions)) {
      assert.isTrue(even.test(codeOf(file)), `${file} is no exception any more`)
    }
  })

  it("are spread in each loop that tries again", () => {
    for (const file of loops) assert.match(codeOf(file), /Backoff\.(?:make|sleep|atLeast)\(/, file)
  })

  it("are spread by the client of NATS, too, which has a loop of its own", () => {
    assert.match(
      codeOf("packages/nats/src/internal/connection/Dial.ts"),
      /reconnectJitter: pause,\s+reconnectJitterTLS: pause/
    )
  })
})
