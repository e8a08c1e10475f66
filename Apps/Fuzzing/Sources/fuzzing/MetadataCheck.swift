import FoundationEssentials
import GeneratedImages
import ImageContractTesting
import ImageCore
import ImageMetadata

/// Checks that metadata is read from any bytes, replaced as a whole, and has nothing private after its removal.
struct MetadataCheck {
    static let metadata = EmbeddedMetadata(
        exif: TestExif().data, xmp: Data("<x exif:GPSLatitude='48,51N'><dc:rights>Ann</dc:rights></x>".utf8),
        iptc: Data([0x1C, 2, 80, 0, 3]) + Data("Ann".utf8))

    func check(_ data: Data) throws(ContractViolation) {
        let metadata = EmbeddedMetadata(of: data)
        try expect(metadata == EmbeddedMetadata(of: (Data([0]) + data).dropFirst()), "differs in a slice")
        _ = (metadata.captureDate, metadata.location, metadata.creator, metadata.copyright, metadata.cameraModel)
        for new in [metadata, Self.metadata, metadata.forUprightImage] { try checkEmbedding(new, in: data) }
        guard let stripped = try? EmbeddedMetadata.removingPrivateData(from: data) else { return }
        let kept = EmbeddedMetadata(of: stripped)
        try expect(isClean(kept), "private data stays: \(kept)")
        let again = try? EmbeddedMetadata.removingPrivateData(from: stripped)
        try expect(again == stripped, "the second removal changes the file")
    }

    /// Whether nothing private is left.
    private func isClean(_ metadata: EmbeddedMetadata) -> Bool {
        metadata.location == nil && isSame(metadata, metadata.withoutPrivateData)
    }

    /// Whether the blocks are equal, apart from the zeros or spaces after a block of AVIF and HEIC that was longer.
    private func isSame(_ metadata: EmbeddedMetadata, _ other: EmbeddedMetadata) -> Bool {
        EmbeddedMetadata.Block.allCases.allSatisfy { block in
            let (found, expected) = (metadata[block] ?? Data(), other[block] ?? Data())
            return found.starts(with: expected)
                && found.dropFirst(expected.count).allSatisfy { [0, 0x20].contains($0) }
        }
    }

    private func checkEmbedding(_ metadata: EmbeddedMetadata, in data: Data) throws(ContractViolation) {
        guard let file = try? metadata.embedded(in: data), let format = FileSignature.format(of: file) else { return }
        let expected = metadata.keeping(EmbeddedMetadata.blocks(writtenTo: format))
        try expect(isSame(EmbeddedMetadata(of: file), expected), "\(EmbeddedMetadata(of: file)) instead of \(expected)")
    }
}
