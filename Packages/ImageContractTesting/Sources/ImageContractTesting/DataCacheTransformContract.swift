public import ImageCore

/// The contract of `DataCacheTransform`, with more rules for transforms that restore each byte.
public enum DataCacheTransformContract {
    /// A transform, and bytes that it supports, such as an encoded image.
    public struct Subject: Sendable {
        /// The transform under test.
        public var transform: any DataCacheTransform
        /// Bytes that the transform supports.
        public var bytes: Data

        /// Creates a subject from a transform and bytes that it supports.
        public init(_ transform: any DataCacheTransform, bytes: Data) {
            self.transform = transform
            self.bytes = bytes
        }
    }

    /// The rules for every transform.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("a key is always mapped to the same key, and different keys to different ones") { subject in
            let (a, b) = (
                subject.transform.key(for: key), subject.transform.key(for: DataCacheKey(identifier: "other"))
            )
            try expect(a == subject.transform.key(for: key), "one key is mapped to two")
            try expect(a != b, "two keys are mapped to one")
        },
        ContractRule("a stored entry is restored with its metadata and its date") { subject in
            let entry = subject.entry
            let restored = try subject.transform.restored(try subject.transform.stored(entry, for: key), for: key)
            try expect(!restored.data.isEmpty, "no bytes are restored")
            try expect(
                restored.metadata == entry.metadata, "the metadata is restored as \(restored.metadata)")
            try expect(restored.creationDate == entry.creationDate, "the date is restored as \(restored.creationDate)")
        },
        ContractRule("the transform handles several entries concurrently") { subject in
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

    /// The rules for transforms that restore each byte, such as encryption and compression.
    public static let lossless: [ContractRule<Subject>] = [
        ContractRule("every byte is restored") { subject in
            for bytes in [subject.bytes, Data(), Data([0, 255])] {
                var entry = subject.entry
                entry.data = bytes
                let restored = try subject.transform.restored(try subject.transform.stored(entry, for: key), for: key)
                try expect(restored == entry, "\(bytes.count) bytes are restored as others")
            }
        }
    ]

    private static let key = DataCacheKey(identifier: "https://images.example/a")
}

extension DataCacheTransformContract.Subject {
    fileprivate var entry: DataCacheEntry {
        DataCacheEntry(
            data: bytes, metadata: Data("metadata".utf8), creationDate: Date(timeIntervalSince1970: 1_700_000_000))
    }
}
