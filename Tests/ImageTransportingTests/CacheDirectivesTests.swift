import HTTPTypes
import ImageTransporting
import Testing

@Suite("Cache-Control")
struct CacheDirectivesTests {
    static func directives(_ lines: String...) -> CacheDirectives {
        CacheDirectives(HTTPFields(lines.map { HTTPField(name: .cacheControl, value: $0) }))
    }

    @Test("parses names in any case, on one or several lines, with empty elements")
    func names() {
        let directives = Self.directives(" , No-Store ,, pRivate", "max-Age=5")
        #expect(directives.contains("no-store") && directives.contains("private"))
        #expect(directives.seconds("max-age") == 5)
        #expect(!directives.contains("public"))
        #expect(Self.directives("").seconds("max-age") == nil)
    }

    @Test(
        "parses a number of seconds, quoted or not",
        arguments: [
            ("max-age=3600", 3600.0), ("max-age=\"3600\"", 3600), ("max-age=003600", 3600), ("max-age=0", 0),
            ("max-age=2147483648", 2_147_483_648), ("max-age=99999999999", 2_147_483_648),
            ("max-age=99999999999999999999999", 2_147_483_648),
        ])
    func seconds(text: String, expected: Double) {
        #expect(Self.directives(text).seconds("max-age") == expected)
    }

    @Test(
        "treats an invalid number of seconds as zero",
        arguments: [
            "max-age", "max-age=a60", "max-age=60a", "max-age=-60", "max-age=60.5", "max-age='60'", "max-age=\"\"",
        ])
    func noSeconds(text: String) {
        #expect(Self.directives(text).seconds("max-age") == 0)
    }

    @Test(
        "ignores malformed directives",
        arguments: [
            "max-age =60", "max-age= 60", "max-age=", "=60", "max-age=\"60", "max-age=6 0", "max-age=\"6\"0",
            "max-age=\"6\"0\"", "max-age=\"6\\\"",
        ])
    func malformed(text: String) {
        #expect(!Self.directives(text).contains("max-age"))
        #expect(Self.directives("\(text)", "private").contains("private"))
    }

    @Test("does not parse directives in a quoted string")
    func quoted() {
        #expect(Self.directives("extension=\"max-age=60, no-store\", max-age=1").seconds("max-age") == 1)
        #expect(Self.directives("max-age=1, extension=\"max-age=60\"").seconds("max-age") == 1)
        #expect(!Self.directives("extension=\"a\\\", no-store, \\\"b\"").contains("no-store"))
        #expect(Self.directives("extension=\"a\\\"b\\\\\"").value(of: "extension") == "a\"b\\")
    }

    @Test("uses the first of two values")
    func twice() {
        #expect(Self.directives("max-age=1800, max-age=1").seconds("max-age") == 1800)
        #expect(Self.directives("max-age=1", "max-age=1800").seconds("max-age") == 1)
    }
}
