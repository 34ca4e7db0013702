import { assert, describe, it } from "@effect/vitest"
import { make } from "../src/internal/environment.ts"

const linux = {
  PATH: "/bin",
  HOME: "/home/me",
  USER: "me",
  LOGNAME: "me",
  SHELL: "/bin/sh",
  TERM: "xterm",
  LANG: "C",
  LC_ALL: "C",
  TZ: "UTC",
  TMPDIR: "/tmp"
}

const windows = {
  Path: "C:\\bin",
  SystemRoot: "C:\\Windows",
  ComSpec: "C:\\cmd.exe",
  ProgramFiles: "C:\\Programs",
  PATHEXT: ".EXE",
  TEMP: "C:\\temp",
  USERPROFILE: "C:\\me"
}

const secrets = { AWS_SECRET_ACCESS_KEY: "1", path_token: "2", GITHUB_TOKEN: "3", LD_PRELOAD: "4" }

describe("the environment of a child process", () => {
  it("is all of ours where nothing is said", () => {
    const ours = { ...linux, ...secrets }
    assert.deepStrictEqual(make({ platform: "linux", ours }), ours)
    assert.deepStrictEqual(make({ platform: "win32", ours: { ...windows, ...secrets } }), { ...windows, ...secrets })
  })

  it("has no secrets where it is safe", () => {
    assert.deepStrictEqual(make({ platform: "linux", ours: { ...secrets, ...linux }, inherit: "safe" }), linux)
    assert.deepStrictEqual(make({ platform: "win32", ours: { ...secrets, ...windows }, inherit: "safe" }), windows)
  })

  it("has the names that are listed, on Windows in any case", () => {
    const inherit = ["PATH", "GITHUB_TOKEN"]
    assert.deepStrictEqual(make({ platform: "linux", ours: { ...linux, ...secrets, Path: "other" }, inherit }), {
      PATH: "/bin",
      GITHUB_TOKEN: "3"
    })
    assert.deepStrictEqual(make({ platform: "win32", ours: { ...windows, ...secrets }, inherit }), {
      Path: "C:\\bin",
      GITHUB_TOKEN: "3"
    })
    assert.deepStrictEqual(make({ platform: "linux", ours: linux, inherit: [] }), {})
  })

  it("is changed on top: added, replaced, taken away", () => {
    const env = { PATH: "/opt", NEW: "1", Home: "other", TERM: undefined }
    assert.deepStrictEqual(make({ platform: "linux", ours: { PATH: "/bin", HOME: "/", TERM: "xterm" }, env }), {
      PATH: "/opt",
      HOME: "/",
      NEW: "1",
      Home: "other"
    })
    assert.deepStrictEqual(
      make({ platform: "win32", ours: { Path: "C:", HOME: "C:", Term: "x" }, inherit: "safe", env }),
      {
        PATH: "/opt",
        NEW: "1",
        Home: "other"
      }
    )
  })
})
