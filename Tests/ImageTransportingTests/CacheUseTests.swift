import ImageCore
import Testing

@testable import ImageTransporting

@Suite("Use of a cache")
struct CacheUseTests {
    @Test(
        "a request without access, or that could not store what it asks for, uses no cache",
        arguments: [ImageLoadMode.standard, .revalidate, .reload, .onlyIfCached, .ignoringStoredErrors])
    func none(_ mode: ImageLoadMode) {
        let asksServer = [.revalidate, .reload, .ignoringStoredErrors].contains(mode)
        #expect(CacheUse(mode).asksServer == asksServer)
        #expect(!CacheUse(mode).isNone)
        #expect(CacheUse(mode, access: .readOnly).isNone == asksServer)
        #expect(CacheUse(mode, access: .disabled).isNone)
    }

    @Test("another attempt ignores stored errors, or reloads as the first one, and doesn't write unless it may")
    func afterFailure() {
        #expect(CacheUse().afterFailure == CacheUse(.ignoringStoredErrors))
        #expect(CacheUse(.reload).afterFailure == CacheUse(.reload))
        #expect(CacheUse(access: .readOnly).afterFailure == .none)
    }
}
