import { assert, describe, it } from "@effect/vitest"
import * as Corpus from "@parley/conformance/Corpus"
import * as Model from "../src/internal/peer/model.ts"

describe("Corpus", () => {
  it("has a name of its own for every case, and a section", () => {
    const names = Corpus.corpus.map(({ name }) => name)
    assert.deepStrictEqual(names.filter((name, index) => names.indexOf(name) !== index), [])
    assert.isAbove(names.length, 150)
    for (const { section } of Corpus.corpus) assert.match(section, /^https:\/\//)
  })

  it.each(Corpus.corpus.map((one) => [one.name, one] as const))("%s", (_, one) => {
    assert.strictEqual(Corpus.compare(one, Model.reply(one.input)), undefined)
  })

  it("knows that a request with a number beyond the range of a double is invalid, wherever it stands", () => {
    for (const rest of [`"params":[1e400]`, `"error":{"code":1e400,"message":"m"}`]) {
      assert.strictEqual(
        Model.reply(`{"jsonrpc":"2.0","id":0,"method":"",${rest}}`),
        `{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"Invalid Request"}}`
      )
    }
  })

  it("tells a wrong answer from a right one", () => {
    const one = { name: "", section: "", input: "", reply: `{"jsonrpc":"2.0","id":9007199254740993,"result":[1]}` }
    assert.isUndefined(Corpus.compare(one, ` {"result":[1] , "id":9007199254740993,"jsonrpc":"2.0"}`))
    for (
      const wrong of [
        undefined,
        `[]`,
        `[${one.reply}]`,
        `{"jsonrpc":"2.0","id":9007199254740992,"result":[1]}`,
        `{"jsonrpc":"2.0","id":9007199254740993,"result":[]}`,
        `{"jsonrpc":"2.0","id":9007199254740993,"result":{"0":1}}`,
        `{"jsonrpc":"2.0","id":9007199254740993,"result":[1],"more":1}`
      ]
    ) assert.isString(Corpus.compare(one, wrong))
  })
})
