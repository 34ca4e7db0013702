import { assert, describe, it } from "@effect/vitest"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as NodeTokenStore from "@parley/node/NodeTokenStore"
import { Deferred, Effect } from "effect"
import { execFile, type ExecFileException } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { listening } from "../support/listening.ts"
import { openOver } from "../support/opened.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(join(tmpdir(), "parley-auth-"))),
  (directory) => Effect.promise(() => fs.rm(directory, { recursive: true, force: true }))
)

const program = fileURLToPath(new URL("../fixtures/caller.ts", import.meta.url))

/** A process that makes calls. It gives what went wrong, and is killed with the effect. */
const calling = (url: string, directory: string, calls: number) =>
  Effect.callback<ExecFileException | null>((resume) => {
    const child = execFile(process.execPath, [program, url, directory, String(calls)], (error) => {
      resume(Effect.succeed(error))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** A world where somebody has signed in, and the token has come to its end. */
const signedIn = Effect.gen(function*() {
  const world = yield* listening
  const directory = yield* folder
  yield* Effect.scoped(Effect.gen(function*() {
    const auth = world.auth({ store: NodeTokenStore.make({ directory }) })
    const caller = yield* openOver(yield* NodeHttp.makeFetcher(), auth, world.server)
    yield* caller.request("ping")
  }))
  world.valid.clear()
  return { world, directory }
})

describe("processes that share a store", () => {
  it.live("two with a hundred calls and an expired token refresh it once", () =>
    Effect.gen(function*() {
      const { directory, world } = yield* signedIn
      const both = [calling(world.server, directory, 50), calling(world.server, directory, 50)]
      assert.deepStrictEqual(yield* Effect.all(both, { concurrency: "unbounded" }), [null, null])
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token"])
      assert.strictEqual(world.asked.length, 1)
    }), 30_000)

  it.live("one that is killed while it refreshes leaves the tokens to the other", () =>
    Effect.gen(function*() {
      const { directory, world } = yield* signedIn
      const reached = yield* Deferred.make<void>()
      // The answer never comes, and the refresh token is not used.
      const mend = world.replace("/token", () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      yield* Effect.raceFirst(calling(world.server, directory, 1), Deferred.await(reached))
      mend()
      assert.isNull(yield* calling(world.server, directory, 10))
      assert.deepStrictEqual(world.tokens(), ["authorization_code", "refresh_token", "refresh_token"])
      assert.strictEqual(world.asked.length, 1)
    }), 30_000)
})
