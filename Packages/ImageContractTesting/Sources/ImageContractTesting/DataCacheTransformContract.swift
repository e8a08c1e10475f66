public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What every `DataCacheTransform` promises, and what one promises beside that restores each byte.
public enum DataCacheTransformContract {
    /// A transform, and bytes of the kind that it is for: an image, for one that encodes images otherwise.
    public struct Subject: Sendable {
        public var transform: any DataCacheTransform
        public var bytes: Data

        public init(_ transform: any DataCacheTransform, bytes: Data) {
            self.transform = transform
            self.bytes = bytes
        }
    }

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("a key has one name, and two keys have two") { subject in
            let (a, b) = (subject.transform.key(for: key), subject.transform.key(for: DataCacheKey(source: "other")))
            try expect(a == subject.transform.key(for: key), "two names for one key")
            try expect(a != b, "one name for two keys")
        },
        ContractRule("what it stored it restores, with what was kept beside the bytes and their date") { subject in
            let entry = subject.entry
            let restored = try subject.transform.restored(try subject.transform.stored(entry, for: key), for: key)
            try expect(!restored.data.isEmpty, "no bytes come back")
            try expect(
                restored.metadata == entry.metadata, "what was kept beside them comes back as \(restored.metadata)")
            try expect(restored.createdAt == entry.createdAt, "the date comes back as \(restored.createdAt)")
        },
        ContractRule("works on several entries at once") { subject in
            let expected = try subject.transform.restored(subject.transform.stored(subject.entry, for: key), for: key)
            try await withThrowingTaskGroup(of: DataCacheEntry.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try subject.transform.restored(subject.transform.stored(subject.entry, for: key), for: key)
                    }
                }
                for try await entry in group { try expect(entry == expected, "another entry at the same time") }
            }
        },
    ]

    /// For a transform that changes bytes on their way alone: encrypts them, compresses them.
    public static let lossless: [ContractRule<Subject>] = [
        ContractRule("every byte comes back") { subject in
            for bytes in [subject.bytes, Data(), Data([0, 255])] {
                var entry = subject.entry
                entry.data = bytes
                let restored = try subject.transform.restored(try subject.transform.stored(entry, for: key), for: key)
                try expect(restored == entry, "\(bytes.count) bytes come back as others")
            }
        }
    ]

    private static let key = DataCacheKey(source: "https://images.example/a")
}

extension DataCacheTransformContract.Subject {
    fileprivate var entry: DataCacheEntry {
        DataCacheEntry(
            data: bytes, metadata: Data("beside".utf8), createdAt: Date(timeIntervalSince1970: 1_700_000_000))
    }
}
