import ImageContractTesting
import ImageMemoryCaching
import Testing

// The example in README.md that needs a test framework. `ReadmeTests` in IntegrationTests compares them, so change
// both.

private typealias MyImageCache = MemoryImageCache

@Suite struct MyImageCacheTests {
    @Test("obeys the contract of ImageCache", arguments: ImageCacheContract.rules)
    func obeysTheContract(rule: ContractRule<ImageCacheContract.Subject>) async throws {
        try await rule.check { byteLimit in MyImageCache(byteLimit: byteLimit) }
    }
}
